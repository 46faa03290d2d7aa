/** The checks that look at more than rows, fields and refusals. Their ids are in the contract. */
import { createHash } from 'node:crypto';
import { DIGESTS } from './digests.ts';
import { csvOf, MARKET, type MarketDataset, PATHS } from './market.ts';
import { askAs, askRows, csvText, expectText, FORMATS, withQuery } from './pages.ts';
import { select } from './select.ts';
import {
  type Answer,
  askJson,
  expectRefusal,
  expectSame,
  expectStatus,
  expectThat,
  type Json,
  restrictedKeyOf,
  type Server,
  Skipped,
} from './server.ts';

const { DAY = '', LONG = '' } = PATHS;
const DAY_ROWS = select(DAY).rows;
const DAY_NAMES = Object.keys(DAY_ROWS[0] ?? {});
/** Does not divide the rows of the day. */
const PAGE = 7;
/** More requests than this are not sent to reach a limit. */
const REQUESTS_MAX = 200;
/** So many times usage is asked for until it has caught up. */
const USAGE_ASKED_MAX = 50;
const MARKET_IDS = MARKET.map(({ id }) => id).sort();

/** The next page by its `Link`, from the server that is tried; null without one. */
async function followLink(server: Server, answer: Answer): Promise<Answer | null> {
  const link = answer.headers.get('link');
  if (link === null) return null;
  const [, target = ''] = /^<(https?:[^>]+)>; rel="next"$/.exec(link) ?? [];
  expectThat(answer, URL.canParse(target), 'Link: <URL>; rel="next"', link);
  const { pathname, search } = new URL(target);
  const next = await server.askOrigin(`${pathname}${search}`);
  expectStatus(next, 200);
  return next;
}

/** All rows, byte for byte as in the file that was loaded. */
const tryDigests =
  ({ columns, slices }: MarketDataset) =>
  async (server: Server) => {
    for (const path of slices) {
      const answer = await askAs(server, withQuery(path, 'limit=30000'), 'csv');
      const digest = createHash('sha256').update(answer.bytes).digest('hex');
      if (digest === DIGESTS[path]) continue;
      expectText(answer, answer.text, csvOf(Object.keys(columns), select(path).rows));
      expectSame(answer, 'SHA-256', digest, DIGESTS[path]);
    }
  };

type Usage = Readonly<Record<'requests' | 'data_scanned' | 'data_returned', number>>;

async function usageOf(server: Server): Promise<{ answer: Answer; month: Usage }> {
  const [answer, body] = await askJson(server, '/account/my/quotas');
  return { answer, month: body.quotas_usage.month };
}

/** That a request and its bytes are counted; returns the bytes that it scanned. */
async function expectCounted(server: Server, path: string): Promise<number> {
  const before = await usageOf(server);
  const { bytes } = await server.ask(path);
  let { requests, data_returned: returned } = before.month;
  requests++;
  returned += bytes.length;
  let last = before;
  for (let asked = 1; asked <= USAGE_ASKED_MAX; asked++) {
    // Reading the usage is itself a request.
    requests++;
    returned += last.answer.bytes.length;
    last = await usageOf(server);
    const { month } = last;
    if (month.requests === requests && month.data_returned === returned) break;
  }
  const { data_scanned: scanned, ...counted } = last.month;
  expectSame(last.answer, 'usage', counted, { requests, data_returned: returned });
  return scanned - before.month.data_scanned;
}

export const CHECKS: Readonly<Record<string, (server: Server) => Promise<void>>> = {
  'paths.prefix': async (server) => expectStatus(await server.askOrigin(DAY), 404),

  'methods.read-only': async (server) => {
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      const answer = await server.ask(DAY, { method });
      expectStatus(answer, 405);
      const allowed = answer.headers.get('allow');
      expectThat(answer, /\bGET\b/.test(allowed ?? ''), 'Allow: GET', allowed);
    }
  },

  'origins.unknown': async (server) => {
    const headers = { origin: 'https://conformance.invalid' };
    expectRefusal(await server.ask(DAY, { headers }), 400, 'Disallowed CORS origin');
  },

  'headers.request-ids': async (server) => {
    const seen = new Set<string | null>([null]);
    for (const path of [DAY, DAY, `${DAY}?limit=0`, '/nothing']) {
      const answer = await server.ask(path);
      const id = answer.headers.get('x-request-id');
      expectThat(answer, !seen.has(id), 'an x-request-id of its own', id);
      seen.add(id);
    }
  },

  'account.fields': async (server) => {
    const [answer, body] = await askJson(server, '/account/my');
    expectSame(answer, 'number of fields', Object.keys(body).length, 4);
  },

  'account.keys': async (server) => {
    const [answer, keys] = await askJson(server, '/account/my/api-keys');
    const own = keys.find(({ reference }: Json) => reference === server.key.slice(-4));
    expectSame(answer, 'status of the key that asks', own?.status, 'active');
    expectThat(answer, !answer.text.includes(server.key), 'no whole key', 'the whole key');
  },

  'account.rules': async (server) => {
    const [answer, rules] = await askJson(server, '/account/my/data-access-rules');
    const ids = rules.map(({ dataset_id }: Json) => dataset_id).sort();
    expectSame(answer, 'datasets', ids, MARKET_IDS);
  },

  'catalogue.list': async (server) => {
    const [, all] = await askJson(server, '/meta/datasets');
    const [answer, own] = await askJson(server, '/meta/datasets/my');
    const ofMarket = all.filter(({ dataset_id }: Json) => MARKET_IDS.includes(dataset_id));
    expectSame(answer, 'datasets', own, ofMarket);
    expectThat(
      answer,
      all.length > own.length,
      'fewer datasets than in /meta/datasets',
      own.length,
    );
  },

  'catalogue.columns': async (server) => {
    for (const { id, columns } of MARKET) {
      const [answer, list] = await askJson(server, `/meta/datasets/${id}/columns`);
      const types = list.map(({ name, data_type: type }: Json) => [name, type?.split(' ')[0]]);
      expectSame(answer, 'columns', types, Object.entries(columns));
    }
  },

  ...Object.fromEntries(
    ['ticks', 'daily', 'bars', 'securities'].map((name, at) => [
      `market.${name}`,
      tryDigests(MARKET[at]!),
    ]),
  ),

  'formats.bodies': async (server) => {
    for (const { format, type } of FORMATS) {
      const answer = await askAs(server, `${DAY}?columns=Price,Ticker`, format);
      const [came] = (answer.headers.get('content-type') ?? '').split(';');
      expectSame(answer, 'Content-Type', came, type);
      expectSame(answer, 'Content-Encoding', answer.headers.get('content-encoding'), null);
      expectText(answer, csvText(answer, format), csvOf(['Price', 'Ticker'], DAY_ROWS));
      const name = answer.headers.get('content-disposition') ?? '';
      const isNamed = format !== 'csv_gzip' || /^attachment; *filename=/.test(name);
      expectThat(answer, isNamed, 'Content-Disposition: attachment; filename=…', name);
    }
  },

  'paging.sorted-walk': async (server) => {
    const path = `${DAY}?sort=-EventType`;
    const { answer, rows: whole } = await askRows(server, path);
    expectSame(answer, 'number of rows', whole.length, DAY_ROWS.length);
    const types = whole.map(({ EventType }) => EventType);
    expectSame(answer, 'EventType', types, types.toSorted().reverse());
    const came: string[] = [];
    for (let offset = 0; offset < DAY_ROWS.length; offset += PAGE) {
      const { rows } = await askRows(server, `${path}&limit=${PAGE}&offset=${offset}`);
      came.push(...rows.map((row) => JSON.stringify(row)));
    }
    const expected = whole.map((row) => JSON.stringify(row));
    expectSame(answer, 'rows of all pages', came.sort(), expected.sort());
  },

  'paging.link': async (server) => {
    const names = ['Quantity', 'Exchange'];
    const path = withQuery(DAY, `Exchange.in=NYSE,FINRA&columns=${names}&sort=-Quantity`);
    const expected = csvOf(names, select(path).rows);
    for (const { format } of FORMATS) {
      const first = await askAs(server, withQuery(path, `limit=${PAGE}`), format);
      let text = '';
      let pageCount = 0;
      for (let page: Answer | null = first; page; page = await followLink(server, page)) {
        const lines = csvText(page, format);
        text += format === 'json' && text ? lines.slice(lines.indexOf('\n') + 1) : lines;
        expectThat(page, ++pageCount <= DAY_ROWS.length, 'an end of the pages', pageCount);
      }
      expectText(first, text, expected);
    }
  },

  'paging.limits': async (server) => {
    for (const { format, usual, most } of FORMATS) {
      const answer = await askAs(server, LONG, format);
      expectSame(answer, 'lines', csvText(answer, format).split('\n').length - 2, usual);
      const path = withQuery(LONG, `response_format=${format}&limit=${most + 1}`);
      expectRefusal(await server.ask(path), 422, `${most}`);
    }
  },

  'paging.csv': async (server) => {
    const [names, ...lines] = csvOf(DAY_NAMES, DAY_ROWS).split('\n');
    for (const [offset, next, expected] of [
      [0, '30', [names, ...lines.slice(0, 30)]],
      [30, '', lines.slice(30, -1)],
    ] as const) {
      for (const { format } of FORMATS) {
        const answer = await askAs(server, withQuery(DAY, `limit=30&offset=${offset}`), format);
        const came = ['limit', 'offset', 'next-offset'].map((name) =>
          answer.headers.get(`x-pagination-${name}`),
        );
        const place = format === 'json' ? [null, null, null] : ['30', offset ? '30' : '', next];
        expectSame(answer, 'X-Pagination-Limit, -Offset and -Next-Offset', came, place);
        if (format === 'json') continue;
        expectText(answer, csvText(answer, format), `${expected.join('\n')}\n`);
      }
    }
  },

  'caching.tags': async (server) => {
    const [path, other] = [0, 1].map((offset) => withQuery(DAY, `limit=1&offset=${offset}`));
    const tag = (await server.ask(path!)).headers.get('etag');
    if (tag === null) throw new Skipped('the server sends no ETag');
    const headers = { 'if-none-match': tag };
    const same = await server.ask(path!, { headers });
    expectSame(same, 'status and bytes', [same.status, same.bytes.length], [304, 0]);
    const another = await server.ask(other!, { headers });
    expectSame(another, 'body', another.text, (await server.ask(other!)).text);
  },

  'quotas.count': async (server) => {
    const first = await expectCounted(server, DAY);
    const second = await expectCounted(server, DAY);
    const { answer } = await usageOf(server);
    expectThat(answer, first > 0, 'data_scanned above 0 of a request for rows', first);
    expectSame(answer, 'data_scanned of the same request', second, first);
  },

  'quotas.minute': async (server) => {
    const key = restrictedKeyOf(server);
    const [, { quotas_limit: limits }] = await askJson(server, '/account/my/quotas', { key });
    const limit = limits?.minute?.requests;
    if (!Number.isSafeInteger(limit) || limit > REQUESTS_MAX) {
      throw new Skipped(`the restricted key needs at most ${REQUESTS_MAX} requests a minute`);
    }
    const path = '/data/us-equity/eq-taq/2025-03-07/KTA?limit=1';
    let answer = await server.ask(path, { key });
    for (let asked = 1; asked <= limit && answer.status === 200; asked++) {
      answer = await server.ask(path, { key });
    }
    expectRefusal(answer, 429, `Per-minute request limit exceeded: \\d+/${limit} requests\\.`);
    const headers = ['limit', 'remaining'].map((name) => answer.headers.get(`x-ratelimit-${name}`));
    expectSame(answer, 'X-RateLimit-Limit and -Remaining', headers, [`${limit}`, '0']);
    for (const exempt of ['/account/my', '/meta/datasets/my', '/meta/datasets/US1032/info']) {
      expectStatus(await server.ask(exempt, { key }), 200);
    }
  },
};
