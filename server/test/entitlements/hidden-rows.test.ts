/** Nothing reveals how many rows an account may not read, how large they are, or their contents. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { repetitions } from '../repetitions.ts';
import { writing } from '../writing.ts';

const DAILY = '/us-equity/eq-daily-ohlc';
const STATUS = '/meta/datasets/US1020/status';
const DAYS = ['2025-03-03', '2025-03-04', '2025-03-05', '2025-04-01'];

/** Doors beside the request for rows itself, each with the query of the request. */
const DOORS = ['/data', '/data-scan', '/bulk'];
const SUFFIXES = ['explain', 'estimate', 'aggregate'];
const GROUPS = 'select=count,max(ClosePrice)&by=Ticker';
const SPAN = 'start=2025-03-01&end=2025-04-02';

/** Who may read what: some identifiers, some of a partition's days, and both. */
const RULES = {
  some: { startDate: '1900-01-01', endDate: null, universe: ['MMM'] },
  late: { startDate: '2025-03-04', endDate: null, universe: [] },
  both: { startDate: '2025-03-04', endDate: '2025-12-31', universe: ['MMM'] },
};
type Who = keyof typeof RULES;

/** Two servers that differ only in rows that none of the accounts may read. */
let servers: { service: TestService; keys: Record<Who, string> }[];

async function openServer() {
  const service = await openTestService();
  const keys: Record<string, string> = {};
  for (const [who, rule] of Object.entries(RULES)) {
    const { accountId, key } = await service.addAccount(who);
    keys[who] = key;
    await writing(service.services.store).rules.add({ accountId, datasetId: 'US1020', ...rule });
  }
  return { service, keys };
}

beforeAll(async () => {
  servers = [await openServer(), await openServer()];
});
afterAll(() => Promise.all(servers.map(({ service }) => service.close())));

interface Hidden {
  readonly TradeDate: string;
  readonly Ticker: string;
  readonly ClosePrice: number;
}

async function publish({ service }: { service: TestService }, hidden: readonly Hidden[]) {
  const own = DAYS.map((TradeDate) => ({ TradeDate, Ticker: 'MMM', ClosePrice: 5 }));
  const { columns } = service.dataset('eq_daily_ohlc');
  const cells = (row: Readonly<Record<string, CellValue>>) =>
    columns.map(({ name }) => row[name] ?? null);
  await service.publish(
    'eq_daily_ohlc',
    [...own, ...hidden].map((row) => cells({ ...row })),
  );
}

/** Headers that may tell of rows. */
const TELLING = [
  'Hint',
  'Hint-Code',
  'Missing',
  'Pagination-Total',
  'Pagination-Next-Offset',
  'Window',
];

/** Status, body and headers. */
type Answer = readonly [number, string, ...unknown[]];

const TOOLS = ['query', 'estimate', 'describe_dataset', 'aggregate', 'save_query'];

/**
 * A body without ids, sealed links, moments and speed, which say nothing of rows; and without the
 * bytes of files, which are others where a stored row group is sent whole.
 */
function withoutChance(body: string): string {
  return body
    .replaceAll(/http[^"]*\/files\/[^"]*/g, 'a link')
    .replaceAll(/"request_id\\":\\"[^"\\]*/g, 'an id')
    .replaceAll(/("byte_count":|"sha256":)[^,}]*/g, '$1')
    .replaceAll(/(seconds(?:_estimate)?\\?"):[^,}]*/g, '$1');
}

const hiddenRow = (day: fc.Arbitrary<string>) =>
  fc.record({
    TradeDate: day,
    Ticker: fc.constantFrom('AAA', 'MML', 'MMN', 'ZZZ'),
    ClosePrice: fc.double({ min: 0.01, max: 1000, noNaN: true }),
  });
/** Rows of another company on any day, or of a day before the windows. */
const HIDDEN_FROM: Readonly<Record<Who, fc.Arbitrary<Hidden[]>>> = {
  some: fc.array(hiddenRow(fc.constantFrom(...DAYS)), { maxLength: 40 }),
  late: fc.array(hiddenRow(fc.constant('2025-03-03')), { maxLength: 40 }),
  both: fc.array(hiddenRow(fc.constantFrom(...DAYS)), { maxLength: 40 }),
};

const anyQuery = fc.constantFrom(
  '',
  '?Ticker=MMM',
  '?Ticker.in=AAA,MML',
  '?ASID.gt=3',
  '?Ticker.like=A*',
  '?ClosePrice.gt=6',
  '?ClosePrice.lt=3&offset=2',
  '?TradeDate.ge=2025-03-04&TradeDate.le=2025-03-05',
  '?TradeDate=2025-03-05&ClosePrice=7.5',
);

describe.each(Object.keys(RULES) as Who[])('an account that may read %s of the rows', (who) => {
  it('gets the same numbers, whatever the rest is', async () => {
    const told = async ({ service, keys }: (typeof servers)[number], query: string) => {
      const read = async (path: string): Promise<Answer> => {
        const answer = await service.get(path, { 'x-api-key': keys[who] });
        const headers = TELLING.map((name) => answer.headers[`x-${name.toLowerCase()}`]);
        return [answer.statusCode, withoutChance(answer.body), headers];
      };
      const parameters = Object.fromEntries(new URLSearchParams(query));
      const call = async (name: string): Promise<Answer> => {
        const asked = name === 'describe_dataset' ? {} : { parameters };
        const groups =
          name === 'aggregate' ? { select: 'count,sum(ClosePrice)', by: 'Ticker' } : {};
        const answer = await service.app.inject({
          ...{ method: 'POST', url: '/v1/mcp' },
          headers: { 'x-api-key': keys[who], accept: 'application/json, text/event-stream' },
          payload: {
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
            params: { name, arguments: { dataset: 'eq_daily_ohlc', ...asked, ...groups } },
          },
        });
        const isAnswered =
          answer.body.includes('"result"') && !answer.body.includes('"isError":true');
        return [isAnswered ? 200 : 400, withoutChance(answer.body)];
      };
      const share = `/v1/delta-sharing/shares/${who}/schemas/equity/tables/eq_daily_ohlc`;
      const and = query === '' ? '?' : '&';
      const { version } = (await service.get(`/v1${STATUS}`, { 'x-api-key': keys[who] })).json();
      const ofDataset = [
        ...['query', 'preview', 'versions', `versions/${version}`, `coverage?${SPAN}`],
        `changes?from=${version - 1}`,
      ];
      return {
        doors: await Promise.all(DOORS.map((door) => read(`/v1${door}${DAILY}${query}`))),
        suffixes: await Promise.all(
          SUFFIXES.map((name) => {
            const groups = name === 'aggregate' ? `${and}${GROUPS}` : '';
            return read(`/v1/data${DAILY}/${name}${query}${groups}`);
          }),
        ),
        dataset: await Promise.all(
          ofDataset.map((path) => read(`/v1/meta/datasets/US1020/${path}`)),
        ),
        others: await Promise.all(
          [`/v1${STATUS}`, '/v1/meta/catalogue', `${share}/metadata`].map(read),
        ),
        tools: await Promise.all(TOOLS.map(call)),
      };
    };
    await fc.assert(
      fc.asyncProperty(HIDDEN_FROM[who], HIDDEN_FROM[who], anyQuery, async (one, other, query) => {
        for (const [at, hidden] of [one, other].entries()) {
          // The version before differs in what is hidden alone, too.
          await publish(servers[at] as never, []);
          await publish(servers[at] as never, hidden);
        }
        const [first, second] = await Promise.all(servers.map((each) => told(each, query)));
        const answers = Object.values(first ?? {}).flat();
        if (query === '') expect(answers.filter(([status]) => status !== 200)).toEqual([]);
        expect(second).toEqual(first);
      }),
      { numRuns: repetitions('TICKLAKE_HIDDEN_ROWS', 3), examples: [[[], [], '']] },
    );
  });
});
