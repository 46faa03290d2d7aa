/**
 * Bars of an interval equal those that a plain program builds from the stored rows of the same
 * request: for any rows, rules, filters, columns and pages, in every format that has them.
 */

import { isTradingDayOf } from '@ticklake/market/calendars.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import { intervalsOf } from '../../src/catalog/interval.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { readFiles } from '../oracle/read-files.ts';
import { readPages } from '../oracle/read-pages.ts';
import type { Cell } from '../oracle/read-rows.ts';
import { anySort, type SortField, sortJsonRows, sortText } from '../oracle/sort-json-rows.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { writing } from '../writing.ts';
import { type JsonRow, longerBars } from './longer-bars.ts';

/** Requests tried per dataset. */
const REQUESTS = repetitions('TICKLAKE_INTERVAL_REQUESTS', 4);

/** Pages of one walk: more of them say nothing new. */
const PAGES_MAX = 40;

/** Days around a half day, a new year and a change of the market's offset; one is a Sunday. */
const DATES = [
  // On a Good Friday with a session of financial futures.
  ...['2023-04-06', '2023-04-07', '2023-04-10'],
  ...['2024-11-27', '2024-11-29', '2024-12-02', '2024-12-30', '2024-12-31', '2025-01-02'],
  ...['2025-01-08', '2025-01-09', '2025-01-10', '2025-03-07', '2025-03-09', '2025-03-10'],
];
const CLOCK_CHANGE = '2025-03-09';
const CLOCKS = [
  ...['00:00', '03:59', '04:00', '08:30', '09:29', '09:30', '10:15', '10:45', '12:59', '13:05'],
  ...['15:59', '16:00', '16:59', '17:00', '17:30', '23:59'],
];

interface Subject {
  readonly textId: string;
  readonly path: (tickers: readonly string[]) => string;
  /** Cells that identify the subjects of rows, by column. */
  readonly about: readonly Readonly<Record<string, CellValue>>[];
}

const STOCKS = [
  { Ticker: 'AAA', ASID: 7n },
  { Ticker: 'É', ASID: null },
  { Ticker: 'aaa', ASID: 1_010_000_000_000_001n },
];
const CONTRACTS = [
  { Ticker: 'ESH5', BaseSymbol: 'ES' },
  { Ticker: 'CLH5', BaseSymbol: 'CL' },
];
const inQuery = (segment: string) => (tickers: readonly string[]) =>
  `/data/${segment}?Ticker.in=${tickers.map(encodeURIComponent).join(',')}`;
const inPath = (segment: string) => (tickers: readonly string[]) =>
  `/data/${segment}/${encodeURIComponent(tickers[0] as string)}?period=20Y`;

const SUBJECTS: readonly Subject[] = [
  { textId: 'eq_trades_1min', path: inQuery('us-equity/eq-trades-1min'), about: STOCKS },
  { textId: 'eq_taq_1min', path: inPath('us-equity/eq-taq-1min'), about: STOCKS },
  { textId: 'fut_trades_1min', path: inQuery('us-futures/fut-trades-1min'), about: CONTRACTS },
  { textId: 'fut_daily', path: inQuery('us-futures/fut-daily'), about: CONTRACTS },
  { textId: 'eq_daily_ohlc', path: inQuery('us-equity/eq-daily-ohlc'), about: STOCKS },
];

let service: TestService;

/** Few distinct values, so that highs and lows tie. */
const anyValue: Readonly<Partial<Record<Column['dataType'], fc.Arbitrary<CellValue>>>> = {
  number: fc.constantFrom(0, 1.5, 10.000001, 10.000002, 146.19, 700_000.25),
  integer: fc.constantFrom(0n, 1n, 3n, 100n, 2_000_000_001n),
};

function momentOf(dataset: Dataset, date: string, clock: string): bigint {
  const local = Temporal.PlainDateTime.from(`${date}T${clock}`);
  return local.toZonedDateTime(dataset.timeZone).epochNanoseconds;
}

/** Each place of a grid of dates, clocks and what rows are about, or nothing there. */
function anyBars(dataset: Dataset, { about }: Subject): fc.Arbitrary<CellValue[][]> {
  const time = dataset.intervals?.time ?? null;
  const clocks = time === null ? [''] : CLOCKS;
  const places = DATES.flatMap((date) =>
    clocks
      // While clocks were put forward, markets were closed.
      .filter((clock) => date !== CLOCK_CHANGE || clock === '' || clock >= '17:00')
      .flatMap((clock) => about.map((keys) => ({ date, clock, keys }))),
  );
  const rows = places.map(({ date, clock, keys }) => {
    const cells = dataset.columns.map(({ name, dataType }) => {
      if (name === dataset.dateColumn) return fc.constant(date);
      if (name === time) return fc.constant(momentOf(dataset, date, clock));
      if (name in keys) return fc.constant(keys[name] as CellValue);
      return fc.option(anyValue[dataType] as fc.Arbitrary<CellValue>, { freq: 5 });
    });
    return fc.option(fc.tuple(...cells), { freq: 3 });
  });
  return fc.tuple(...rows).map((all) => all.filter((row) => row !== null));
}

beforeAll(async () => {
  service = await openTestService();
  for (const subject of SUBJECTS) {
    const [rows] = fc.sample(anyBars(service.dataset(subject.textId), subject), 1);
    await service.publish(subject.textId, rows as CellValue[][]);
  }
});
afterAll(() => service.close());

interface Rule {
  readonly startDate: string;
  readonly endDate: string | null;
  readonly universe: readonly string[];
}

interface RandomBars {
  readonly subject: Subject;
  readonly interval: string;
  readonly format: string;
  readonly tickers: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
  readonly columns: readonly string[] | null;
  readonly sort: readonly SortField[];
  readonly limit: number;
  readonly rules: readonly Rule[];
}

const EVERYTHING: readonly Rule[] = [{ startDate: '1900-01-01', endDate: null, universe: [] }];

/** One or two rules whose windows do not meet. */
function narrowRules(tickers: readonly string[]): fc.Arbitrary<Rule[]> {
  const dates = fc.uniqueArray(fc.constantFrom('1900-01-01', ...DATES), {
    ...{ minLength: 1, maxLength: 4 },
  });
  const anyUniverse = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([...tickers], { minLength: 1 }) },
  );
  return fc.tuple(dates, anyUniverse, anyUniverse).map(([edges, universe, other]) => {
    const [a, b, c, d] = edges.toSorted();
    if (c === undefined) return [{ startDate: a as string, endDate: b ?? null, universe }];
    return [
      { startDate: a as string, endDate: b as string, universe },
      { startDate: c, endDate: d ?? null, universe: other },
    ];
  });
}

/** No rules that leave nothing: a refusal would prove little. */
const anyRules = (tickers: readonly string[]) =>
  fc.oneof(fc.constant(EVERYTHING), narrowRules(tickers));

const anyLimit = fc.constantFrom(5, 17, 1000);

function anyBarRequest(subject: Subject): fc.Arbitrary<RandomBars> {
  const dataset = service.dataset(subject.textId);
  const rules = dataset.intervals?.columns;
  const keys = [dataset.dateColumn, dataset.intervals?.time, ...(dataset.intervals?.by ?? [])];
  const names = dataset.columns
    .map(({ name }) => name)
    .filter((name) => keys.includes(name) || rules?.has(name));
  const tickers = subject.about.map(({ Ticker }) => Ticker as string);
  return fc.record({
    subject: fc.constant(subject),
    interval: fc.constantFrom(...intervalsOf(dataset)),
    format: fc.constantFrom('json', 'csv', 'csv_gzip', 'arrow', 'parquet'),
    tickers: fc.uniqueArray(fc.constantFrom(...tickers), { minLength: 1 }),
    from: fc.option(fc.constantFrom(...DATES)),
    to: fc.option(fc.constantFrom(...DATES)),
    columns: fc.option(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 6 })),
    sort: anySort(names),
    limit: fc.oneof({ weight: 1, arbitrary: fc.constant(1) }, { weight: 9, arbitrary: anyLimit }),
    rules: anyRules(tickers),
  });
}

function filtersOf({ from, to }: RandomBars): string {
  return `${from ? `&TradeDate.ge=${from}` : ''}${to ? `&TradeDate.le=${to}` : ''}`;
}

const FILE_FORMATS = ['csv_gzip', 'arrow', 'parquet'];

/** A request for files filters by the tickers that a page's path names. */
function bulkPath({ subject, tickers }: RandomBars): string {
  const { group, segment } = service.dataset(subject.textId);
  const named = subject.path(tickers).includes('?period') ? tickers.slice(0, 1) : tickers;
  return `/bulk/${group}/${segment}?Ticker.in=${named.map(encodeURIComponent).join(',')}`;
}

const daysBefore = (date: string, days: number) =>
  Temporal.PlainDate.from(date).subtract({ days }).toString();

/** True if the bars are of sessions, whose evenings have rows of other dates. */
function isOfSessions({ subject, interval }: RandomBars): boolean {
  return subject.about === CONTRACTS && ['1d', '1w', '1mo'].includes(interval);
}

/** The first day that the request asks for and the rules allow. */
function firstDateOf(asked: RandomBars): string | null {
  const { from, to, rules } = asked;
  const begin = from && isOfSessions(asked) ? lastTradingDay(daysBefore(from, 1)) : from;
  const met = rules.filter(
    ({ startDate, endDate }) =>
      (endDate === null || begin === null || endDate >= begin) && (to === null || startDate <= to),
  );
  const granted = met.map(({ startDate }) => startDate).toSorted()[0] ?? null;
  return (
    [from, granted]
      .filter((date) => date !== null)
      .toSorted()
      .at(-1) ?? null
  );
}

/** The last one of all products. */
function lastTradingDay(date: string): string {
  const calendar = 'CME';
  const isOfAll = isTradingDayOf(calendar, date) && isTradingDayOf(calendar, date, 'ES');
  return isOfAll ? date : lastTradingDay(daysBefore(date, 1));
}

/** The rows whose sessions are asked for; their dates may be earlier. */
function rowsOfSessions(dataset: Dataset, rows: readonly JsonRow[], asked: RandomBars) {
  const { from, to, rules } = asked;
  return rows.filter((row) => {
    const [bar] = longerBars(dataset, [row], '1d', ['TradeDate'], null);
    const date = bar?.TradeDate as string;
    const isHeld = rules.some(
      ({ startDate, endDate, universe }) =>
        startDate <= date &&
        (endDate === null || date <= endDate) &&
        (universe.length === 0 || universe.includes(row.Ticker as string)),
    );
    return isHeld && (from === null || date >= from) && (to === null || date <= to);
  });
}

async function readerWith(rules: readonly Rule[], dataset: Dataset): Promise<TestService> {
  const { accountId, key } = await service.addAccount(crypto.randomUUID());
  const { datasetId } = dataset;
  for (const rule of rules) {
    await writing(service.services.store).rules.add({ accountId, datasetId, ...rule });
  }
  const get: TestService['get'] = (url) =>
    service.app.inject({ url, headers: { 'x-api-key': key } });
  return { ...service, get };
}

function columnsOf(dataset: Dataset, names: readonly string[]): Column[] {
  return names.map((name) => dataset.columnByName.get(name) as Column);
}

/** Compares an answer's bars. Returns false if the request was refused instead. */
async function expectBars(asked: RandomBars): Promise<boolean> {
  const { subject, interval, format, columns, sort, limit } = asked;
  const dataset = service.dataset(subject.textId);
  const reader = await readerWith(asked.rules, dataset);
  const path = `${subject.path(asked.tickers)}${filtersOf(asked)}`;
  const stored = await reader.get(`/v1${path}&limit=10000`);
  const text = sortText(sort) + (columns ? `&columns=${columns.join(',')}` : '');
  const answer = `&interval=${interval}${text}&response_format=${format}`;
  if (stored.statusCode !== 200) {
    const { statusCode } = await reader.get(`/v1${path}${answer}&limit=${limit}`);
    expect(statusCode).toBe(stored.statusCode);
    return false;
  }
  const { intervals, dateColumn } = dataset;
  const fit = (name: string) =>
    [dateColumn, intervals?.time, ...(intervals?.by ?? [])].includes(name) ||
    intervals?.columns.has(name);
  const all = dataset.columns.map(({ name }) => name).filter(fit);
  const names = columns ?? all;
  const readable = isOfSessions(asked)
    ? await reader.get(`/v1${subject.path(asked.tickers)}&limit=10000`)
    : stored;
  const found = readable.json().data as JsonRow[];
  const rows = isOfSessions(asked) ? rowsOfSessions(dataset, found, asked) : found;
  const bars = longerBars(dataset, rows, interval, all, firstDateOf(asked));
  const wanted = sortJsonRows(bars, sort, dataset).map((bar) =>
    Object.fromEntries(names.map((name) => [name, bar[name]])),
  );
  const shown = (rows: readonly Cell[][]) =>
    rows.map((cells) =>
      Object.fromEntries(
        cells.map((cell, c) => [names[c], typeof cell === 'bigint' ? Number(cell) : cell]),
      ),
    );
  const typed = columnsOf(dataset, names);
  const limitMin = Math.ceil(bars.length / PAGES_MAX);
  const url = `${path}${answer}&limit=${Math.max(limit, limitMin)}`;
  expect(shown(await readPages(reader, url, format, typed))).toEqual(wanted);
  if (!FILE_FORMATS.includes(format)) return true;
  const list = columns ? `&columns=${columns.join(',')}` : '';
  const filesUrl = `${bulkPath(asked)}${filtersOf(asked)}&interval=${interval}${list}`;
  const natural = bars.map((bar) => Object.fromEntries(names.map((name) => [name, bar[name]])));
  expect(shown(await readFiles(reader, filesUrl, format, typed))).toEqual(natural);
  return true;
}

describe('bars of an interval', () => {
  it('begin where the request does, within a week', async () => {
    const url = '/v1/data/us-equity/eq-daily-ohlc?Ticker=weeks&interval=1w';
    const { columns } = service.dataset('eq_daily_ohlc');
    const rows = ['2025-06-02', '2025-06-03', '2025-06-04'].map((TradeDate) =>
      columns.map(({ name }) => ({ TradeDate, Ticker: 'weeks' })[name] ?? null),
    );
    await service.publish('eq_daily_ohlc', rows);
    const dates = async (filter: string) =>
      (await service.get(url + filter)).json().data.map((row: JsonRow) => row.TradeDate);
    expect(await dates('')).toEqual(['2025-06-02']);
    expect(await dates('&TradeDate.gt=2025-06-02')).toEqual(['2025-06-03']);
  });

  it('are in natural order where the first date cuts some that go over midnight', async () => {
    const subject = SUBJECTS.find(({ textId }) => textId === 'fut_trades_1min') as Subject;
    const asked = { subject, interval: '2h', format: 'json', tickers: ['CLH5', 'ESH5'] };
    const page = { from: '2023-04-06', to: null, columns: null, sort: [], limit: 5 };
    expect(await expectBars({ ...asked, ...page, rules: EVERYTHING })).toBe(true);
  });

  it.each(SUBJECTS)(
    'are built from the rows of the same request without an interval, for $textId',
    async (subject) => {
      let comparedCount = 0;
      const property = fc.asyncProperty(anyBarRequest(subject), async (asked) => {
        if (await expectBars(asked)) comparedCount++;
      });
      await fc.assert(property, { numRuns: REQUESTS });
      expectCameAcross({ bars: comparedCount });
    },
  );
});
