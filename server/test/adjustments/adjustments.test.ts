/**
 * Rows adjusted as of a date, or by splits alone, equal the raw rows of the same request restated
 * by a plain program: for any events, rows, rules, columns and pages, in every format that has
 * them.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { readFiles } from '../oracle/read-files.ts';
import { readPages } from '../oracle/read-pages.ts';
import { anySort, type SortField, sortJsonRows, sortText } from '../oracle/sort-json-rows.ts';
import { repetitions, sampleOf } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { writing } from '../writing.ts';
import { anyEvents, anyRows, DATES, eventRows, TICKERS, tickersOn } from './random-market.ts';
import { type Choice, type Event, type JsonRow, wrongCells } from './restated-rows.ts';

/** Requests tried per dataset. */
const REQUESTS = repetitions('TICKLAKE_ADJUSTMENT_REQUESTS', 4);
const TODAY = '2025-06-20';
const FACTORS = 'eq_adj_factors_basic';

interface Subject {
  readonly raw: string;
  readonly path: (ticker: string, date: string) => string;
  /** Like `path`, for a request for files. */
  readonly filters: (ticker: string, date: string) => string;
}

const FILE_FORMATS = ['csv_gzip', 'arrow', 'parquet'];

const SUBJECTS: readonly Subject[] = [
  { raw: 'eq_daily_ohlc', path: () => 'eq-daily-ohlc?', filters: () => 'eq-daily-ohlc?' },
  {
    raw: 'eq_daily_ohlc_ind_std',
    path: () => 'eq-daily-ohlc?aggregation_logic=industry_std&',
    filters: () => 'eq-daily-ohlc?aggregation_logic=industry_std&',
  },
  {
    raw: 'eq_trades_1min',
    path: () => `eq-trades-1min?Ticker.in=${TICKERS.join(',')}&`,
    filters: () => `eq-trades-1min?Ticker.in=${TICKERS.join(',')}&`,
  },
  {
    raw: 'eq_trades',
    path: (ticker, date) => `eq-trades/${date}/${encodeURIComponent(ticker)}?`,
    filters: (ticker, date) => `eq-trades?TradeDate=${date}&Ticker=${encodeURIComponent(ticker)}&`,
  },
];

let service: TestService;
let events: Event[];

beforeAll(async () => {
  service = await openTestService();
  events = fc.sample(anyEvents, 1)[0] as Event[];
  await service.publish(FACTORS, eventRows(service.dataset(FACTORS), events));
  for (const { raw } of SUBJECTS) {
    await service.publish(raw, fc.sample(anyRows(service.dataset(raw)), 1)[0] as CellValue[][]);
  }
});
afterAll(() => service.close());

interface Rule {
  readonly startDate: string;
  readonly endDate: string | null;
  readonly universe: readonly string[];
}

interface RandomRequest {
  readonly choice: Choice;
  readonly format: string;
  readonly ticker: string;
  readonly date: string;
  readonly from: string | null;
  readonly columns: readonly string[] | null;
  readonly sort: readonly SortField[];
  readonly limit: number;
  readonly rawRules: readonly Rule[];
  readonly adjustedRules: readonly Rule[];
}

const EVERYTHING: Rule = { startDate: '1900-01-01', endDate: null, universe: [] };

const anyUniverse = fc.oneof(
  fc.constant([]),
  fc.subarray([...TICKERS, '7', '33449'], { minLength: 1 }),
);
/** One or two windows that do not meet, the last of them often open. */
const anyWindows: fc.Arbitrary<Rule[]> = fc
  .record({
    dates: fc.uniqueArray(fc.constantFrom('1900-01-01', ...DATES), { minLength: 1, maxLength: 4 }),
    universes: fc.tuple(anyUniverse, anyUniverse),
  })
  .map(({ dates, universes: [first, second] }) => {
    const [a, b, c, d] = dates.toSorted();
    const early = { startDate: a as string, endDate: b ?? null, universe: first };
    return c === undefined
      ? [early]
      : [early, { startDate: c, endDate: d ?? null, universe: second }];
  });
const anyRules = fc.oneof(
  { weight: 3, arbitrary: fc.constant([EVERYTHING]) },
  { weight: 2, arbitrary: anyWindows },
);

function adjustedOf({ raw }: Subject): Dataset {
  return service.dataset(`${raw}_adj`);
}

function anyAdjusted(subject: Subject): fc.Arbitrary<RandomRequest> {
  const names = adjustedOf(subject).columns.map(({ name }) => name);
  return fc
    .record({
      choice: fc
        .record({
          asOf: fc.option(fc.constantFrom(...DATES, '2022-01-01', '2024-05-01', TODAY)),
          adjustments: fc.constantFrom('all' as const, 'splits' as const),
        })
        .filter(({ asOf, adjustments }) => asOf !== null || adjustments === 'splits'),
      format: fc.constantFrom('json', 'csv', 'csv_gzip', 'arrow', 'parquet'),
      date: fc.constantFrom(...DATES),
      place: fc.nat(),
      from: fc.option(fc.constantFrom(...DATES)),
      columns: fc.option(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 6 })),
      sort: anySort(names),
      limit: fc.constantFrom(1, 7, 30, 1000),
      rawRules: anyRules,
      adjustedRules: anyRules,
    })
    .map(({ place, ...request }) => {
      const tickers = tickersOn(request.date);
      return { ...request, ticker: tickers[place % tickers.length] as string };
    });
}

async function readerWith(rules: Readonly<Record<string, readonly Rule[]>>): Promise<TestService> {
  const { accountId, key } = await service.addAccount(crypto.randomUUID());
  for (const [textId, list] of Object.entries(rules)) {
    const { datasetId } = service.dataset(textId);
    for (const rule of list) {
      await writing(service.services.store).rules.add({ accountId, datasetId, ...rule });
    }
  }
  const get: TestService['get'] = (url) =>
    service.app.inject({ url, headers: { 'x-api-key': key } });
  return { ...service, get };
}

function isDated({ startDate, endDate }: Rule, row: JsonRow): boolean {
  const date = String(row.TradeDate);
  return date >= startDate && (endDate === null || date <= endDate);
}

/** True if a rule of each list permits the row, by an identifier that both write alike. */
function isPermitted({ rawRules, adjustedRules }: RandomRequest, row: JsonRow): boolean {
  const names = [row.Ticker, row.ASID].filter((name) => name !== null).map(String);
  const admits = ({ universe }: Rule, name: string) =>
    universe.length === 0 || universe.includes(name);
  return rawRules.some((one) =>
    adjustedRules.some(
      (other) =>
        isDated(one, row) &&
        isDated(other, row) &&
        names.some((name) => admits(one, name) && admits(other, name)),
    ),
  );
}

/** True if the request reaches the row. As of a date, it ends there unless it begins later. */
function isReached({ raw }: Subject, { choice: { asOf }, from }: RandomRequest, row: JsonRow) {
  const isOpen = raw !== 'eq_trades' && asOf !== null && (from ?? '') <= asOf;
  return !isOpen || String(row.TradeDate) <= asOf;
}

function urlOf(subject: Subject, { from, ticker, date }: RandomRequest): string {
  const isTick = subject.raw === 'eq_trades';
  const bounds = from === null || isTick ? '' : `TradeDate.ge=${from}&`;
  return `/data/us-equity/${subject.path(ticker, date)}${isTick ? '' : 'period=20Y&'}${bounds}`;
}

interface ReadRows {
  readonly reader: TestService;
  readonly adjusted: Dataset;
  /** Without columns, sort and limit. */
  readonly url: string;
}

async function rowsOf(
  { reader, adjusted, url }: ReadRows,
  { columns, sort, format, limit }: Pick<RandomRequest, 'columns' | 'sort' | 'format' | 'limit'>,
): Promise<JsonRow[]> {
  const names = columns ?? adjusted.columns.map(({ name }) => name);
  const typed = names.map((name) => adjusted.columnByName.get(name) as Column);
  const list = columns ? `&columns=${columns.join(',')}` : '';
  const page = `&limit=${limit}&response_format=${format}`;
  const cells = await readPages(reader, `${url}${list}${sortText(sort)}${page}`, format, typed);
  return cells.map((row) =>
    Object.fromEntries(row.map((cell, c) => [names[c], plainCell(cell)])),
  ) as JsonRow[];
}

/** That the files of the request hold the rows of its pages in natural order. */
async function expectFiles(
  { raw, filters }: Subject,
  { format, ticker, date, from }: RandomRequest,
  { reader, adjusted }: ReadRows,
  parameters: string,
  names: readonly string[],
  whole: readonly JsonRow[],
): Promise<void> {
  if (!FILE_FORMATS.includes(format)) return;
  const bounds = from === null || raw === 'eq_trades' ? '' : `TradeDate.ge=${from}&`;
  const url = `/bulk/us-equity/${filters(ticker, date)}${bounds}${parameters}`;
  const typed = names.map((name) => adjusted.columnByName.get(name) as Column);
  const cells = await readFiles(reader, url, format, typed);
  const due = whole.map((row) => names.map((name) => row[name]));
  expect(cells.map((row) => row.map(plainCell))).toEqual(due);
}

/** How many rows were right. */
async function restatedRows(subject: Subject, asked: RandomRequest): Promise<number> {
  const { choice, columns, sort, rawRules, adjustedRules } = asked;
  const adjusted = adjustedOf(subject);
  const stored = await service.get(`/v1${urlOf(subject, asked)}limit=10000`);
  const raw = (stored.json().data as JsonRow[]).filter(
    (row) => isPermitted(asked, row) && isReached(subject, asked, row),
  );
  const reader = await readerWith({
    [subject.raw]: rawRules,
    [adjusted.textId]: adjustedRules,
    [FACTORS]: [EVERYTHING],
  });
  const { asOf, adjustments } = choice;
  const chosen = `adjusted=true&adjustments=${adjustments}${asOf ? `&adjusted_as_of=${asOf}` : ''}`;
  const url = `${urlOf(subject, asked)}${chosen}`;
  const first = await reader.get(`/v1${url}`);
  if (first.statusCode !== 200) {
    // A date or an identifier that one of the rules does not let through.
    expect([403, 422], first.body).toContain(first.statusCode);
    const isNamed = subject.raw === 'eq_trades' || asked.from !== null;
    if (isNamed && raw.length > 0) expect(first.body).toContain('outside of the allowed range');
    else expect(raw).toEqual([]);
    return 0;
  }
  const read = { reader, adjusted, url };
  const whole = await rowsOf(read, { columns: null, sort: [], format: 'json', limit: 10_000 });
  expect(wrongCells(raw, whole, events, choice)).toEqual([]);
  const names = columns ?? adjusted.columns.map(({ name }) => name);
  const due = sortJsonRows(whole, sort, adjusted).map((row) =>
    Object.fromEntries(names.map((name) => [name, row[name]])),
  );
  expect(await rowsOf(read, asked)).toEqual(due);
  await expectFiles(
    subject,
    asked,
    read,
    `${chosen}${columns ? `&columns=${columns}` : ''}`,
    names,
    whole,
  );
  return due.length;
}

function plainCell(cell: unknown): unknown {
  return typeof cell === 'bigint' ? Number(cell) : cell;
}

describe('rows adjusted on request', () => {
  it.each(sampleOf(SUBJECTS, { name: 'TICKLAKE_SUBJECTS_EVERY' }))(
    'are those of $raw, restated by the events that are chosen',
    async (subject) => {
      let rowCount = 0;
      const property = fc.asyncProperty(anyAdjusted(subject), async (asked) => {
        rowCount += await restatedRows(subject, asked);
      });
      await fc.assert(property, { numRuns: REQUESTS });
      // A refusal of all requests would prove nothing.
      expectCameAcross({ rows: rowCount });
    },
  );
});
