/** Servers that break one guarantee each: the real one, behind a proxy that changes what passes. */
import { gunzipSync } from 'node:zlib';

interface Asked {
  readonly url: URL;
  readonly headers: Headers;
  method: string;
}

interface Answered {
  status: number;
  headers: Headers;
  body: Buffer<ArrayBuffer>;
}

type Asking = (asked: Asked) => void;
type Answering = (answered: Answered, asked: Asked, again: () => Promise<void>) => unknown;

interface BrokenServer {
  /** Checks that have to fail, and may do so for different requests. */
  readonly fails: readonly string[];
  /** Changes the request. */
  readonly asks?: Asking;
  /** Changes the answer; `again` puts the answer to the changed request in its place. */
  readonly answers?: Answering;
}

const LOCAL_TIME = /\d{4}-\d\d-\d\dT[\d:.]+-0\d:00/g;

const onText =
  (change: (text: string, asked: Asked) => string): Answering =>
  (answered, asked) => {
    if (answered.headers.get('content-type') === 'application/gzip') return;
    answered.body = Buffer.from(change(`${answered.body}`, asked));
  };

// biome-ignore lint/suspicious/noExplicitAny: bodies of all kinds
type Body = any;

const onBody =
  (change: (body: Body, asked: Asked) => unknown): Answering =>
  (answered, asked) => {
    const isJson = answered.headers.get('content-type')?.startsWith('application/json');
    if (!isJson || answered.body.length === 0) return;
    const body = JSON.parse(`${answered.body}`);
    change(body, asked);
    answered.body = Buffer.from(JSON.stringify(body));
  };

const onQuery =
  (change: (query: URLSearchParams, path: string) => void): Asking =>
  ({ url }) =>
    change(url.searchParams, url.pathname);

const onCsv = (change: (text: string, offset: number) => string): Answering =>
  onText((text, { url: { searchParams: query } }) =>
    query.get('response_format') === 'csv' ? change(text, Number(query.get('offset'))) : text,
  );

/** Renames parameters so that they say something else, or nothing where there is no new name. */
const rename = (query: URLSearchParams, pattern: RegExp, replacement: string | null) => {
  for (const [name, value] of [...query]) {
    if (!pattern.test(name)) continue;
    query.delete(name, value);
    if (replacement !== null) query.append(name.replace(pattern, replacement), value);
  }
};

/** Asks again with the first key where an answer has this status and text. */
const forgives =
  (key: string, status: number, text: string): Answering =>
  async (answered, asked, again) => {
    if (answered.status !== status || !`${answered.body}`.includes(text)) return;
    asked.headers.set('x-api-key', key);
    await again();
  };

/** By what is wrong with them; `key` may read the whole market. */
export const brokenServers = (key: string): Readonly<Record<string, BrokenServer>> => ({
  'drops a row at the border of a page': {
    fails: ['paging.walk', 'paging.sorted-walk', 'paging.link'],
    answers: onBody((body) => body.pagination?.next_offset && body.data.pop()),
  },
  'repeats a row at the border of a page': {
    fails: ['paging.walk', 'paging.sorted-walk'],
    answers: onBody(({ data, pagination }) => {
      if (pagination?.offset > 0 && data.length > 1) data[0] = data[1];
    }),
  },
  'never ends': {
    fails: ['values.json', 'empty.pages'],
    answers: onBody(({ data, pagination }) => {
      if (pagination) pagination.next_offset ??= pagination.offset + data.length;
    }),
  },
  'has one row too many on a page': {
    fails: ['paging.walk', 'paging.limits'],
    asks: onQuery((query) => {
      const limit = query.get('limit');
      if (limit) query.set('limit', `${Number(limit) + 1}`);
    }),
  },
  'lowers limits that are too high': {
    fails: ['paging.limits'],
    asks: onQuery((query) => Number(query.get('limit')) > 10_000 && query.set('limit', '10000')),
  },
  'loses filters in its links': {
    fails: ['paging.link'],
    answers: ({ headers }) => {
      const link = headers.get('link');
      if (link) headers.set('link', link.replace(/Exchange\.in=[^&]*&/, ''));
    },
  },
  'has no place in the headers of CSV': {
    fails: ['paging.csv'],
    answers: ({ headers }) => headers.delete('x-pagination-next-offset'),
  },
  'names columns on no page': {
    fails: ['market.ticks', 'paging.csv', 'formats.bodies'],
    answers: onCsv((text, offset) => (offset ? text : text.slice(text.indexOf('\n') + 1))),
  },
  'names columns on every page': {
    fails: ['paging.csv', 'paging.link'],
    answers: onCsv((text, offset) => (offset ? `"TradeDate"\n${text}` : text)),
  },
  'leaves the order to chance': {
    fails: ['sort.columns', 'paging.sorted-walk', 'paging.link'],
    asks: onQuery((query) => query.delete('sort')),
  },
  'rounds decimals': {
    fails: ['values.json', 'market.ticks', 'market.daily', 'market.bars'],
    answers: onText((text) => text.replaceAll(/(\d\.\d\d)\d+(?=[,}\n])/g, '$1')),
  },
  'cuts long integers': {
    fails: ['values.json', 'market.ticks', 'market.securities'],
    answers: onText((text) => text.replaceAll(/\b(1010000000000)\d{3}\b/g, '$1000')),
  },
  'writes numbers as texts': {
    fails: ['values.json'],
    answers: onText((text) => text.replaceAll(/:(\d+\.\d+)(?=[,}])/g, ':"$1"')),
  },
  'has empty texts for nulls': {
    fails: ['values.json'],
    answers: onBody((body) => {
      for (const row of body.data ?? []) for (const name in row) row[name] ??= '';
    }),
  },
  'tells times in UTC': {
    fails: ['values.json', 'market.ticks', 'market.bars'],
    answers: onText((text) =>
      text.replaceAll(LOCAL_TIME, (time) => `${new Date(time).toISOString().slice(0, 19)}Z`),
    ),
  },
  'cuts times to milliseconds': {
    fails: ['values.json', 'market.ticks'],
    answers: onText((text) => text.replaceAll(/(:\d\d\.\d{3})\d{6}/g, '$1000000')),
  },
  'reads times as UTC': {
    fails: ['filters.times'],
    asks: onQuery((query) => {
      for (const [name, value] of [...query]) {
        if (/DateTime/.test(name) && /T[\d:.]+$/.test(value)) query.set(name, `${value}Z`);
      }
    }),
  },
  'calls CSV plain text': {
    fails: ['formats.bodies'],
    answers: ({ headers }) => {
      if (headers.get('content-type') === 'text/csv') headers.set('content-type', 'text/plain');
    },
  },
  'lies about gzip': {
    fails: ['formats.bodies', 'paging.link'],
    answers: (answered) => {
      if (answered.headers.get('content-type') !== 'application/gzip') return;
      answered.body = Buffer.from(gunzipSync(answered.body));
    },
  },
  'ignores lower bounds': {
    fails: ['filters.compare', 'filters.combine', 'filters.times', 'period.range'],
    asks: onQuery((query) => rename(query, /\.g[et]$/, null)),
  },
  'takes in for its first value': {
    fails: ['filters.list', 'filters.arrays'],
    asks: onQuery((query) => {
      for (const [name, value] of [...query]) {
        if (name.endsWith('.in')) query.set(name, value.split(',')[0]!);
      }
    }),
  },
  'has no case in patterns': {
    fails: ['filters.pattern'],
    asks: onQuery((query) => rename(query, /\.like$/, '.ilike')),
  },
  'is careless about the case of tickers': {
    fails: ['identifiers.exact'],
    asks: ({ url }) => {
      url.pathname = url.pathname.replace(/[a-z]+$/, (end) => end.replace('ktb', 'KTB'));
    },
  },
  'looks back for ever': {
    fails: ['period.default'],
    asks: onQuery((query, path) => {
      if (path.endsWith('ohlc') && !/Date=|Date\.|period/.test(`${query}`))
        query.set('period', '20Y');
    }),
  },
  'takes what is empty for an error': {
    fails: ['empty.pages', 'identifiers.exact'],
    answers: (answered) => {
      if (`${answered.body}`.includes('"data":[]')) answered.status = 404;
    },
  },
  'overlooks unknown columns': {
    fails: ['errors.columns'],
    asks: onQuery((query) => {
      rename(query, /^(Nope|price)$/, null);
      if (/Neither/.test(`${query}`)) for (const name of ['sort', 'columns']) query.delete(name);
    }),
  },
  'has errors of another form': {
    fails: ['errors.columns', 'keys.missing', 'access.datasets', 'paths.unknown'],
    answers: onText((text) => text.replace(/^\{"detail":/, '{"error":')),
  },
  'lets anybody in': {
    fails: ['keys.missing', 'keys.unknown'],
    asks: ({ headers }) => {
      if (!headers.get('x-api-key') || /of-no-account/.test(`${headers.get('x-api-key')}`)) {
        headers.set('x-api-key', key);
      }
    },
  },
  'lets nobody in': {
    fails: ['account.fields', 'catalogue.list', 'market.ticks', 'access.window', 'quotas.count'],
    asks: ({ headers }) => headers.delete('x-api-key'),
  },
  'asks for a key to tell its status': {
    fails: ['status.open'],
    answers: (answered, { url, headers }) => {
      if (url.pathname.endsWith('/status') && !headers.has('x-api-key')) answered.status = 401;
    },
  },
  'shows hidden dates': {
    fails: ['access.window'],
    answers: forgives(key, 422, 'outside of the allowed range'),
  },
  'shows hidden identifiers': {
    fails: ['access.universe'],
    answers: forgives(key, 403, 'not authorized to access the identifier'),
  },
  'shows rows that no rule allows': {
    fails: ['access.window', 'access.universe'],
    asks: ({ headers }) => headers.set('x-api-key', key),
  },
  'has unadjusted prices for adjusted ones': {
    fails: ['access.variants', 'errors.inapplicable'],
    asks: onQuery((query) => query.delete('adjusted')),
  },
  'lists what an account may not read as its own': {
    fails: ['catalogue.list'],
    asks: ({ url }) => {
      url.pathname = url.pathname.replace(/datasets\/my$/, 'datasets');
    },
  },
  'takes text ids for ids': {
    fails: ['paths.ids'],
    asks: ({ url }) => {
      url.pathname = url.pathname.replace(/eq_taq|us1032/, 'US1032');
    },
  },
  'counts nothing': {
    fails: ['quotas.count'],
    answers: onBody(({ quotas_usage: usage }) => {
      if (usage) usage.month = { requests: 0, data_scanned: 0, data_returned: 0 };
    }),
  },
  'never refuses a request for its quota': {
    fails: ['quotas.minute'],
    answers: forgives(key, 429, 'Per-minute'),
  },
  'has one ETag for all pages': {
    fails: ['caching.tags'],
    answers: (answered, { headers }) => {
      if (!headers.has('if-none-match')) return;
      answered.status = 304;
      answered.body = Buffer.alloc(0);
    },
  },
  'answers HEAD': {
    fails: ['methods.read-only'],
    asks: (asked) => {
      if (asked.method === 'HEAD') asked.method = 'GET';
    },
  },
  'lets pages of any origin ask': {
    fails: ['origins.unknown'],
    asks: ({ headers }) => headers.delete('origin'),
  },
  'has one id for all requests': {
    fails: ['headers.request-ids'],
    answers: ({ headers }) => headers.set('x-request-id', 'the same'),
  },
});

async function pass({ url, method, headers }: Asked): Promise<Answered> {
  const response = await fetch(url, { method, headers, redirect: 'manual' });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: new Headers(response.headers), body };
}

/** In place of `fetch`, for a kit that tries the broken server. */
export function throughProxy({ asks, answers }: BrokenServer): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    const asked = { url: new URL(`${input}`), method: init?.method ?? 'GET', headers };
    asks?.(asked);
    let answered = await pass(asked);
    await answers?.(answered, asked, async () => {
      answered = await pass(asked);
    });
    const { status, body } = answered;
    return new Response(body.length > 0 ? body : null, { status, headers: answered.headers });
  };
}
