/** Nothing that an account can ask depends on the values of columns that its rules hide. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { writing } from '../writing.ts';

const KEYS = ['TradeDate', 'Ticker', 'ASID'];
const VISIBLE = [...KEYS, 'OpenPrice', 'ClosePrice', 'DailyVWAP', 'MarketHoursVolume'];
const HIDDEN = ['HighPrice', 'LowPrice', 'DailyVolume', 'MarketHoursVWAP'];
const DAYS = ['2025-03-03', '2025-03-04', '2025-03-10', '2025-04-01'];
const TICKERS = ['AAA', 'BBB', 'CCC'];
const RULED = ['eq_daily_ohlc', 'eq_daily_ohlc_adj', 'eq_adj_factors_basic'];

const SHARE = '/v1/delta-sharing/shares/reader';
const TABLE = `${SHARE}/schemas/equity/tables/eq_daily_ohlc`;
const DATASET = '/v1/meta/datasets/US1020';
const DAILY = '/us-equity/eq-daily-ohlc';
const GROUPS = [
  'select=count,sum(MarketHoursVolume),vwap(ClosePrice,MarketHoursVolume)&by=Ticker',
  'select=max(HighPrice)',
  'select=vwap(ClosePrice,DailyVolume)&by=Ticker',
  'select=count&by=LowPrice',
  'select=count&HighPrice.gt=100',
];
const FORMATS = ['json', 'csv', 'csv_gzip', 'arrow', 'parquet'];

/** Two servers that differ only in the hidden columns. */
let servers: { service: TestService; key: string }[];

async function openServer() {
  const service = await openTestService();
  const { accountId, key } = await service.addAccount('reader');
  for (const textId of RULED) {
    const { datasetId } = service.dataset(textId);
    const columns = textId === 'eq_daily_ohlc' ? VISIBLE : null;
    const rule = { accountId, datasetId, startDate: '1900-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({ ...rule, columns });
  }
  const split = { ASID: 1n, Ticker: 'AAA', EffectiveDate: '2025-03-10', EventId: 1n };
  await publish(service, 'eq_adj_factors_basic', [
    { ...split, SecId: 1n, AdjustmentFactor: 0.5, AdjustmentReason: 'Split' },
  ]);
  return { service, key };
}

beforeAll(async () => {
  servers = [await openServer(), await openServer()];
});
afterAll(() => Promise.all(servers.map(({ service }) => service.close())));

type Cells = Readonly<Record<string, CellValue>>;

async function publish(service: TestService, textId: string, rows: readonly Cells[]) {
  const { columns } = service.dataset(textId);
  await service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

/** Rows with equal visible cells in a state, whatever the hidden ones are. */
function rowsWith(hidden: readonly number[], state: number): Cells[] {
  return DAYS.flatMap((TradeDate, day) =>
    TICKERS.map((Ticker, at) => {
      const of = (place: number) => hidden[(day * 5 + at * 3 + place) % hidden.length] as number;
      return {
        ...{ TradeDate, Ticker, ASID: BigInt(at + 1), OpenPrice: day + 1, ClosePrice: at + state },
        ...{ DailyVWAP: 1.25 * (at + 1), MarketHoursVolume: BigInt(100 * (day + 1)) },
        ...{ HighPrice: of(0), LowPrice: of(1), MarketHoursVWAP: of(2) },
        DailyVolume: BigInt(Math.round(of(3) * 1000)),
      };
    }),
  );
}

const anyHidden = fc.array(fc.double({ min: 0.01, max: 900, noNaN: true }), {
  minLength: 1,
  maxLength: 12,
});
const anyQuery = fc.constantFrom(
  'Ticker=AAA',
  'Ticker=NONE',
  'Ticker.in=AAA,NONE&sort=-ClosePrice',
  'sort=OpenPrice,-Ticker&limit=3',
  'MarketHoursVolume.gt=100&columns=Ticker,DailyVWAP',
  'interval=1w',
  'interval=1mo&sort=-ClosePrice',
  'adjusted=true&adjusted_as_of=2025-06-01',
  'adjusted=true&adjustments=splits&interval=1w',
  'TradeDate.ge=2025-03-04&TradeDate.le=2025-03-10',
  'HighPrice.gt=100',
  'columns=Ticker,LowPrice',
  'sort=DailyVolume',
  'interval=1w&columns=TradeDate,Ticker,ASID,DailyVWAP',
);

/** Calls of tools that ask the same of the dataset. */
function toolCalls(query: string): [string, object][] {
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const groups = GROUPS.map((text) => {
    const { select, by, ...filters } = Object.fromEntries(new URLSearchParams(text));
    return ['aggregate', { select, by, parameters: filters }] as [string, object];
  });
  const asking = ['query', 'estimate', 'save_query'].map((tool): [string, object] => [
    tool,
    { parameters },
  ]);
  return [
    ...asking,
    ...groups,
    ['changes', {}],
    ['changes', { from: 1 }],
    ['describe_dataset', {}],
  ];
}

type Answer = readonly [status: number, body: string, hint: unknown];

/** The answers of a server, and the files that they name. */
async function told({ service, key }: (typeof servers)[number], query: string) {
  const answers: Record<string, Answer> = {};
  const urls: string[] = [];
  const ask = async (url: string, payload?: object, name = url) => {
    const headers = { 'x-api-key': key, authorization: `Bearer ${key}` };
    const method = payload ? ('POST' as const) : ('GET' as const);
    const accept = 'application/json, text/event-stream';
    const answer = await service.app.inject({
      ...{ method, url },
      headers: { ...headers, ...(name !== url && { accept }) },
      ...(payload && { payload }),
    });
    const text = answer.rawPayload.toString('latin1');
    // Links say who asked for which file, and not what is in it.
    urls.push(...(text.match(/http[^"]*\/files\/[^"]*/g) ?? []));
    const body = text
      .replaceAll(/http[^"]*\/files\/[^"]*/g, 'a link')
      .replace(/"request_id\\":\\"[^"\\]*/, 'an id');
    answers[name] = [answer.statusCode, body, answer.headers['x-hint']];
    return answer;
  };
  for (const format of FORMATS) await ask(`/v1/data${DAILY}?${query}&response_format=${format}`);
  for (const path of ['columns', 'query', 'rules', 'status', 'preview', 'versions', 'coverage']) {
    await ask(`${DATASET}/${path}`);
  }
  const { version } = (await ask(`${DATASET}/status`)).json();
  await ask(`${DATASET}/versions/${version}`);
  for (const format of FORMATS) {
    await ask(`${DATASET}/changes?from=${version - 1}&response_format=${format}`);
  }
  for (const groups of GROUPS) await ask(`/v1/data${DAILY}/aggregate?${groups}`);
  for (const [tool, parameters] of toolCalls(query)) {
    const params = { name: tool, arguments: { dataset: 'eq_daily_ohlc', ...parameters } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    await ask('/v1/mcp', message, `${tool} ${JSON.stringify(parameters)}`);
  }
  await ask(`/v1/data-scan${DAILY}?${query}`);
  await ask(`/v1/bulk${DAILY}?${query}`);
  await ask(`/v1/bulk${DAILY}?response_format=csv_gzip`);
  await ask('/v1/meta/catalogue');
  await ask(`${TABLE}/metadata`);
  await ask(`${TABLE}/query`, {});
  await ask(`${TABLE}/changes?startingVersion=${version}&endingVersion=${version}`);
  const files = await Promise.all(
    urls.map(async (url) => {
      const answer = await service.app.inject({ url: new URL(url).pathname });
      return answer.rawPayload.toString('latin1');
    }),
  );
  return { answers, files };
}

/** Ways out that say names of hidden columns only because the question did. */
function bodiesNaming(
  names: readonly string[],
  { answers, files }: Awaited<ReturnType<typeof told>>,
) {
  const bodies = Object.entries(answers)
    // Other datasets of the catalogue have columns of these names.
    .filter(([url]) => ![...names, 'catalogue'].some((name) => url.includes(name)))
    .map(([url, [, body]]): [string, string] => [url, body]);
  const named = [...bodies, ...files.map((file, at): [string, string] => [`file ${at}`, file])];
  return named.filter(([, body]) => names.some((name) => body.includes(name)));
}

it('an account gets the same from servers that differ in what is hidden, and no hidden name', async () => {
  const tried = { refused: 0, adjusted: 0, answered: 0, files: 0, tools: 0 };
  await fc.assert(
    fc.asyncProperty(anyHidden, anyHidden, anyQuery, async (one, other, query) => {
      for (const [server, hidden] of [
        [servers[0], [...one, 5]],
        [servers[1], other],
      ] as const) {
        const { service } = server as (typeof servers)[number];
        await publish(service, 'eq_daily_ohlc', rowsWith(hidden, 1));
        await publish(service, 'eq_daily_ohlc', rowsWith(hidden.toReversed(), 2));
      }
      const [first, second] = await Promise.all(servers.map((each) => told(each, query)));
      expect(second).toEqual(first);
      expect(bodiesNaming(HIDDEN, first as never)).toEqual([]);
      const [answer] = Object.values(first?.answers ?? {});
      if (answer?.[0] === 422) tried.refused += 1;
      else if (query.includes('adjusted=')) tried.adjusted += 1;
      else tried.answered += 1;
      const tool = Object.entries(first?.answers ?? {}).find(([name]) => name.startsWith('query'));
      if (tool?.[1][1].includes('row_count')) tried.tools += 1;
      tried.files += first?.files.length ?? 0;
    }),
    { numRuns: repetitions('TICKLAKE_HIDDEN_COLUMNS', 10) },
  );
  expectCameAcross(tried);
});
