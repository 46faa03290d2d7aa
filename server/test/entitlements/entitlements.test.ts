/**
 * Random rules of an account and its offer, against random requests: answers hold exactly the
 * permitted rows and columns requested, refusals hide none, and every permitted row is reachable.
 * Also for an earlier version, and for the rows changed since.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import { keyColumnsOf } from '../../src/catalog/visible-columns.ts';
import { readParquet } from '../../src/engine/conformance/read-parquet.ts';
import { changeColumnOf } from '../../src/engine/row-changes.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { publishedRows } from '../engine/service-suite.ts';
import { openTestService, type TestService } from '../harness.ts';
import { longerBars } from '../intervals/longer-bars.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import {
  anyFilter,
  anyRequest,
  FORMATS,
  narrowRequest,
  type RandomRequest,
} from '../oracle/random-request.ts';
import { anyRows, DATES } from '../oracle/random-rows.ts';
import { fileCells, manifestOf } from '../oracle/read-files.ts';
import { readPages } from '../oracle/read-pages.ts';
import { type Cell, type Row, readRows } from '../oracle/read-rows.ts';
import { halfOf, isSampled, type Sample, selectRows, shownCell } from '../oracle/select-rows.ts';
import { partFiles } from '../part-files.ts';
import { publishRows } from '../past/republished-dataset.ts';
import { repetitions, sampleOf } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { until } from '../until.ts';
import { writing } from '../writing.ts';
import {
  answeringRules,
  commonColumns,
  isPermitted,
  namesOutsideDate,
  namesOutsideIdentifier,
  type Rule,
} from './permitted-rows.ts';
import {
  SUBJECTS as ALL_SUBJECTS,
  anyIdentifier,
  makeRowsAbout,
  namesOf,
  type Subject,
} from './subjects.ts';

liftTimeLimits();

const ROWS_PER_DATASET = 120;
const RULE_SETS = repetitions('TICKLAKE_ENTITLEMENT_RULE_SETS', 4);
const REQUESTS_PER_RULE_SET = 3;
/** Workers make some of the JSON and CSV pages, and the main thread those with fewer cells. */
const WORKER_CELLS = 20;
const WALKS = Math.ceil(RULE_SETS / 8);
const SUBJECTS = sampleOf(ALL_SUBJECTS, { name: 'TICKLAKE_SUBJECTS_EVERY' });
/** Stored daily bars, of which longer ones are made. */
const DAILY = ALL_SUBJECTS.find(({ textId }) => textId === 'eq_daily_ohlc') as Subject;
/** Minute bars, of which bars of sessions are made. */
const FUTURES = ALL_SUBJECTS.find(({ textId }) => textId === 'fut_taq_1min') as Subject;
/** The test service's day. */
const TODAY = '2025-06-20';

/** On, beside and far from the dates of the rows, and after today. */
const EDGES = [
  ...['1900-01-01', '2010-06-30', '2024-10-31', '2024-11-02', '2024-12-30', '2025-01-01'],
  ...['2025-03-11', TODAY, '2025-06-21', '2030-01-01', ...DATES, ...DATES],
];

let service: TestService;
/** The account's offer. */
let offerId: number;
const VERSIONS = [1, 2] as const;
type Version = (typeof VERSIONS)[number];
const rowsOfVersion = new Map<string, Row[]>();
const rowsOf = ({ textId }: Subject, version: Version): Row[] =>
  rowsOfVersion.get(`${textId} ${version}`) as Row[];

/** From files by a plain reader; what a cluster holds only its engine can read. */
async function storedRows(dataset: Dataset): Promise<Row[]> {
  const { config, lake } = service.services;
  if (config.lakeAddress !== null) return await publishedRows(service.services, dataset);
  return await readRows(dataset, await partFiles(lake, dataset.datasetId));
}

beforeAll(async () => {
  service = await openTestService({ workerCellsMin: WORKER_CELLS });
  const { offers, accounts } = writing(service.services.store);
  const contract = { contractEndsAtMs: null, contractDays: null };
  const offer = { name: 'an offer', limits: UNLIMITED, ...contract, createdAtMs: 0 };
  offerId = await offers.create(offer);
  await accounts.update(service.accountId, { offer: { offerId, givenAtMs: 0 } });
  for (const subject of new Set([...SUBJECTS, DAILY, FUTURES])) {
    const dataset = service.dataset(subject.textId);
    const samples = fc.sample(anyRows(dataset, ROWS_PER_DATASET), 2);
    const [earlier = [], later = []] = samples.map((rows) => makeRowsAbout(subject, dataset, rows));
    // Half of the rows stay.
    const states = [earlier, [...earlier.slice(ROWS_PER_DATASET / 2), ...later]];
    for (const [index, rows] of states.entries()) {
      await publishRows(service, dataset, rows, 'replace-all');
      rowsOfVersion.set(`${subject.textId} ${index + 1}`, await storedRows(dataset));
    }
  }
  if (hasWorkers()) await untilWorkerIsReady();
});
afterAll(() => service.close());

/** Only parts in the home are read by workers. */
const hasWorkers = () => service.services.config.lakeAddress === null;

async function workerPages(): Promise<number> {
  const { values } = await service.services.metrics.workerPages.get();
  return values[0]?.value ?? 0;
}

/** Asks for another page each time: those that were sent are kept. */
async function untilWorkerIsReady(): Promise<void> {
  let limit = ROWS_PER_DATASET;
  await until(async () => {
    await service.get(`/v1/data/us-equity/eq-daily-ohlc?period=200Y&limit=${limit++}`);
    return (await workerPages()) > 0;
  });
}

/** After the service's day; no row is dated so late. */
const FUTURE_EDGES = ['2025-06-21', '2025-07-01', '2025-12-31', '2030-01-01'];

/** A rule of the account, or of its offer. */
interface HeldRule extends Rule {
  readonly isOffered: boolean;
}

/** Rules of the account, its offer or both, which may then overlap; sometimes all in the future. */
function anyRules(subject: Subject): fc.Arbitrary<HeldRule[]> {
  const held = (isOffered: boolean) => (rules: Rule[]) =>
    rules.map((rule) => ({ ...rule, isOffered }));
  const own = anyDisjointRules(subject).map(held(false));
  const offered = anyDisjointRules(subject).map(held(true));
  return fc.oneof(
    own,
    offered,
    fc.tuple(own, offered).map((all) => all.flat()),
  );
}

/** One to three windows, disjoint, the last of them often open; now and then all in the future. */
function anyDisjointRules(subject: Subject): fc.Arbitrary<Rule[]> {
  return fc.oneof(
    { weight: 9, arbitrary: anyRulesWithin(subject, EDGES) },
    { weight: 1, arbitrary: anyRulesWithin(subject, FUTURE_EDGES) },
  );
}

function anyRulesWithin(subject: Subject, among: readonly string[]): fc.Arbitrary<Rule[]> {
  const dataset = service.dataset(subject.textId);
  const keys = keyColumnsOf(dataset);
  const others = dataset.columns.map(({ name }) => name).filter((name) => !keys.includes(name));
  const columns = fc.option(fc.subarray(others).map((chosen) => [...keys, ...chosen]));
  const universe = fc.oneof(
    fc.constant([]),
    fc.uniqueArray(fc.constantFrom(...namesOf(subject)), { minLength: 1, maxLength: 4 }),
  );
  return fc
    .record({
      edges: fc.array(fc.constantFrom(...among), { minLength: 2, maxLength: 6 }),
      universes: fc.tuple(universe, universe, universe),
      columnsOf: fc.tuple(columns, columns, columns),
      isOpen: fc.boolean(),
    })
    .map(({ edges, universes, columnsOf, isOpen }) => {
      const sorted = edges.toSorted();
      const rules: Rule[] = [];
      for (let i = 0; i + 1 < sorted.length; i += 2) {
        const [startDate, endDate] = sorted.slice(i, i + 2) as [string, string];
        if (startDate === rules.at(-1)?.endDate) continue;
        const { length: at } = rules;
        const own = columnsOf[at];
        rules.push({
          ...{ startDate, endDate, universe: universes[at] as string[] },
          ...(own && { columns: own }),
        });
      }
      const last = rules.pop() as Rule;
      return [...rules, isOpen ? { ...last, endDate: null } : last];
    });
}

/** With more filters on the date and the names of rows than chance would give. */
function anySearch(subject: Subject): fc.Arbitrary<RandomRequest> {
  const dataset = service.dataset(subject.textId);
  const rows = VERSIONS.flatMap((version) => rowsOf(subject, version));
  const inPath: Record<string, string[]> = {
    tick: ['TradeDate', 'Ticker', 'ASID'],
    identifier: ['Ticker', 'ASID'],
    query: [],
  };
  const names = [subject.dateColumn, ...subject.nameColumns, subject.idColumn].filter(
    (name) => name !== null && !inPath[dataset.pathShape]?.includes(name),
  ) as string[];
  const request = anyRequest(dataset, rows, anyIdentifier(subject));
  if (names.length === 0) return request;
  const filter = fc
    .constantFrom(...names)
    .chain((name) => anyFilter(dataset.columnByName.get(name) as Column, rows));
  return fc
    .tuple(request, fc.option(filter))
    .map(([made, extra]) => (extra ? narrowRequest(made, extra, dataset) : made));
}

async function setRules({ textId }: Subject, rules: readonly HeldRule[]): Promise<void> {
  const { store } = service.services;
  const { accountId } = service;
  const { datasetId } = service.dataset(textId);
  for (const { ruleId } of await store.rules.listOfDataset(accountId, datasetId)) {
    await writing(store).rules.delete(ruleId);
  }
  for (const { isOffered, ...terms } of rules) {
    const holder = isOffered ? { offerId } : { accountId };
    await writing(store).rules.add({ ...holder, datasetId, ...terms });
  }
}

/** The windows of rules, with those that overlap put together. */
function windowsOf(rules: readonly Rule[]): { startDate: string; endDate: string }[] {
  const windows: { startDate: string; endDate: string }[] = [];
  for (const rule of rules.toSorted((a, b) => (a.startDate < b.startDate ? -1 : 1))) {
    const window = { startDate: rule.startDate, endDate: rule.endDate ?? TODAY };
    const last = windows.at(-1);
    if (!last || window.startDate > last.endDate) windows.push(window);
    else if (window.endDate > last.endDate) last.endDate = window.endDate;
  }
  return windows;
}

function permittedRows(
  subject: Subject,
  rules: readonly Rule[],
  version: Version,
  sample: Sample | null = null,
): Row[] {
  return rowsOf(subject, version).filter(
    (row) => isPermitted(subject, rules, row, TODAY) && (!sample || isSampled(row, sample)),
  );
}

function cellsOf(subject: Subject, rows: readonly Row[], columns: readonly Column[]) {
  const dataset = service.dataset(subject.textId);
  return rows.map((row) =>
    columns.map((column) => shownCell(row[column.name] ?? null, column, dataset)),
  );
}

/** The columns of an answer by these rules: those asked for, or else those in common. */
function columnsOf(
  { textId }: Subject,
  rules: readonly Rule[],
  names: readonly string[] | null = null,
): readonly Column[] {
  const { columns, columnByName } = service.dataset(textId);
  return names?.map((name) => columnByName.get(name) as Column) ?? commonColumns(rules, columns);
}

/** Null where the request is refused. Fails where the pages have other columns. */
async function readAll(
  request: RandomRequest,
  columns: readonly Column[],
): Promise<Cell[][] | null> {
  try {
    return await readPages(service, request.url, request.format, columns);
  } catch (error) {
    if (error instanceof Error && /^(403|422): /.test(error.message)) return null;
    throw error;
  }
}

/** The headers for the identifiers that a request lists, and for the rows of all its pages. */
async function toldBeside({ url }: RandomRequest): Promise<unknown[]> {
  const { headers } = await service.get(`/v1${url}&count=exact`);
  tried.missing += Number(/^[1-9]/.test(`${headers['x-missing']}`));
  return [headers['x-missing'], headers['x-pagination-total']];
}

/** The X-Missing text expected from the permitted rows alone, which therefore reveals no others. */
function missingText(
  { nameColumns, idColumn, dateColumn }: Subject,
  permitted: readonly Row[],
  request: RandomRequest,
): string | undefined {
  const names = [...nameColumns, idColumn];
  const lists = request.filters.filter(
    ({ column, operator }) => operator === 'in' && names.includes(column),
  );
  if (lists.length === 0) return undefined;
  const filters = request.filters.filter(({ column }) => [...names, dateColumn].includes(column));
  const rows = selectRows(permitted, { ...request, filters, sample: null });
  const listed = lists.flatMap(({ column, values }) => {
    const found = new Set(rows.flatMap((row) => row[column] as Cell[]));
    return [...new Set(values)].map((value) => ({ value, isFound: found.has(value) }));
  });
  const missing = listed.filter(({ isFound }) => !isFound);
  const told = missing.map(({ value }) => encodeURIComponent(`${value}`)).join(', ');
  return `${missing.length} of ${listed.length}${missing.length > 0 ? `: ${told}` : ''}`;
}

/** Requests that between them ask for every row of the dataset. */
function coveringRequests(subject: Subject, rules: readonly Rule[]): string[] {
  const { group, segment, pathShape, requiredFilters } = service.dataset(subject.textId);
  const base = `/data/${group}/${segment}`;
  const tickers = [...new Set(rowsOf(subject, 2).map((row) => `${row.Ticker}`))];
  const encoded = tickers.map(encodeURIComponent);
  if (pathShape === 'tick') {
    return DATES.flatMap((date) => encoded.map((ticker) => `${base}/${date}/${ticker}?`));
  }
  if (pathShape === 'identifier') return encoded.map((ticker) => `${base}/${ticker}?`);
  const bases =
    requiredFilters.length > 0 ? encoded.map((ticker) => `${base}?Ticker=${ticker}`) : [`${base}?`];
  const dated = service.dataset(subject.textId).periodDefault !== null;
  if (!dated) return bases;
  return bases.flatMap((each) =>
    windowsOf(rules)
      .map(({ startDate, endDate }) => `TradeDate.ge=${startDate}&TradeDate.le=${endDate}`)
      .map((dates) => `${each}&${dates}&period=200Y`),
  );
}

/** Counts the cases that the random requests came upon, over all datasets. */
const tried = {
  found: 0,
  hidden: 0,
  refused: 0,
  missing: 0,
  changed: 0,
  grouped: 0,
  bars: 0,
  sessions: 0,
  unknown: 0,
  cut: 0,
};

/** An empty list and a list of an empty text are not the same. */
const textOf = (row: readonly Cell[]) =>
  JSON.stringify(row.map((cell) => (Array.isArray(cell) ? cell.map(String) : String(cell))));
const textsOf = (rows: readonly (readonly Cell[])[]) => rows.map(textOf).sort();

/** The rows that are not among others, each taken off once. */
function without(rows: readonly Cell[][], others: readonly Cell[][]): Cell[][] {
  const left = textsOf(others);
  return rows.filter((row) => {
    const at = left.indexOf(textOf(row));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The path and filters of a request, and a version; what chooses a page or columns is left out. */
function aggregateUrl({ url }: RandomRequest, select: string): string {
  const [path = '', query = ''] = url.split('?');
  const kept = query
    .split('&')
    .filter((part) => !/^(columns|sort|limit|response_format)=/.test(part));
  return `/v1${path}/aggregate?${[...kept, `select=${select}`, 'numbers=string'].join('&')}`;
}

/** The rows of all integers of a column, computed by a plain program. */
function aggregateOf(
  rows: readonly Row[],
  { name }: Column,
): Record<string, string | number> | null {
  const values = rows.flatMap((row) => (row[name] === null ? [] : [row[name] as bigint]));
  if (rows.length === 0 || values.length === 0) return null;
  const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return {
    count: `${rows.length}`,
    [`count(${name})`]: `${values.length}`,
    [`sum(${name})`]: `${values.reduce((sum, each) => sum + each, 0n)}`,
    [`min(${name})`]: `${sorted[0]}`,
    [`max(${name})`]: `${sorted.at(-1)}`,
  };
}

/** Integers of a dataset that can be summed. */
function summedColumn({ textId }: Subject): Column | undefined {
  return service.dataset(textId).columns.findLast(({ dataType }) => dataType === 'integer');
}

describe.each(SUBJECTS)('groups of $textId', (subject) => {
  it('are of exactly the permitted rows, and refused only where there are none', async () => {
    const column = summedColumn(subject);
    if (!column) return;
    const { name } = column;
    const select = `count,count(${name}),sum(${name}),min(${name}),max(${name})`;
    await fc.assert(
      fc.asyncProperty(anyRules(subject), anySearch(subject), async (rules, search) => {
        await setRules(subject, rules);
        const asked = { ...search, columns: [name], sort: [] };
        const answering = answeringRules(rules, asked);
        const found = selectRows(permittedRows(subject, answering ?? [], 2), asked);
        const answer = await service.get(aggregateUrl(search, select));
        expect([200, 403, 422], answer.body).toContain(answer.statusCode);
        const mustRefuse =
          answering === null ||
          namesOutsideDate(subject, answering, asked.filters, TODAY) ||
          namesOutsideIdentifier(subject, answering, asked.filters, TODAY);
        if (mustRefuse) expect(answer.statusCode).not.toBe(200);
        else if (answer.statusCode !== 200) expect(found).toEqual([]);
        if (answer.statusCode !== 200) return;
        const due = aggregateOf(found, column);
        const [group, ...others] = answer.json().data;
        expect(others).toEqual([]);
        if (due) expect(group).toEqual(due);
        else expect(Number(group?.[`count(${name})`] ?? 0)).toBe(0);
        tried.grouped += found.length;
      }),
      { numRuns: RULE_SETS * REQUESTS_PER_RULE_SET },
    );
  });
});

describe.each(SUBJECTS)('$textId', (subject) => {
  it('answers with exactly the permitted rows, and refuses only what has none', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRules(subject),
        fc.array(anySearch(subject), {
          minLength: REQUESTS_PER_RULE_SET,
          maxLength: REQUESTS_PER_RULE_SET,
        }),
        fc.constantFrom(...VERSIONS),
        fc.boolean(),
        async (rules, asked, version, isPinned) => {
          await setRules(subject, rules);
          // The later version is also the current one.
          const pin = isPinned || version === 1 ? `&dataset_version=${version}` : '';
          const requests = asked.map((each) => ({ ...each, url: `${each.url}${pin}` }));
          for (const request of requests) {
            const answering = answeringRules(rules, request);
            const permitted = permittedRows(subject, answering ?? [], version);
            const columns = columnsOf(subject, answering ?? rules, request.columns);
            const found = selectRows(permitted, request);
            const mustRefuse =
              answering === null ||
              namesOutsideDate(subject, answering, request.filters, TODAY) ||
              namesOutsideIdentifier(subject, answering, request.filters, TODAY);
            const actual = await readAll(request, columns);
            tried.unknown += Number(answering === null);
            tried.cut += Number(columns.length < service.dataset(subject.textId).columns.length);
            const matching = selectRows(rowsOf(subject, version), request);
            tried.found += found.length;
            tried.hidden += matching.length - found.length;
            tried.refused += Number(actual === null);
            if (mustRefuse) expect(actual).toBeNull();
            if (actual !== null) {
              expect(actual).toEqual(cellsOf(subject, found, columns));
              const missing = missingText(subject, permitted, request);
              expect(await toldBeside(request)).toEqual([missing, `${found.length}`]);
            } else if (!mustRefuse) expect(found).toEqual([]);
          }
        },
      ),
      { numRuns: RULE_SETS },
    );
  });

  it('lets every permitted row be reached, and no other, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(anyRules(subject), fc.constantFrom(...FORMATS), async (rules, format) => {
        await setRules(subject, rules);
        const columns = columnsOf(subject, rules);
        const expected = cellsOf(subject, permittedRows(subject, rules, 2), columns);
        const reached: Cell[][] = [];
        for (const start of coveringRequests(subject, rules)) {
          const url = `${start}&limit=50&response_format=${format}`;
          const none = { columns: null, filters: [], sort: [], identifiedBy: null };
          const request = { url, format, ...none };
          reached.push(...((await readAll(request, columns)) ?? []));
        }
        expect(textsOf(reached)).toEqual(textsOf(expected));
      }),
      { numRuns: WALKS },
    );
  });

  it('tells exactly the permitted rows that changed between two versions', async () => {
    const dataset = service.dataset(subject.textId);
    const anyFormat = fc.constantFrom(...FORMATS);
    const path = `/meta/datasets/${dataset.datasetId}/changes?from=1&to=2&limit=70`;
    const anySample = fc.constantFrom(null, halfOf(dataset));
    await fc.assert(
      fc.asyncProperty(anyRules(subject), anySample, anyFormat, async (rules, sample, format) => {
        await setRules(subject, rules);
        const columns = columnsOf(subject, rules);
        const [before, after] = VERSIONS.map((version) =>
          cellsOf(subject, permittedRows(subject, rules, version, sample), columns),
        ) as [Cell[][], Cell[][]];
        const url = `${path}&response_format=${format}${sampleText(sample)}`;
        const told = await readPages(service, url, format, [changeColumnOf(dataset), ...columns]);
        const expected = [
          ...without(before, after).map((row) => ['removed', ...row]),
          ...without(after, before).map((row) => ['added', ...row]),
        ];
        expect(textsOf(told)).toEqual(textsOf(expected));
        tried.changed += told.length;
      }),
      { numRuns: WALKS * 2 },
    );
  });
});

const sampleText = (sample: Sample | null) => (sample ? `&${sample.text}` : '');

interface BulkFile {
  readonly url: string;
}

async function bulkFiles(subject: Subject, query: string): Promise<BulkFile[]> {
  const { group, segment } = service.dataset(subject.textId);
  const response = await service.get(`/v1/bulk/${group}/${segment}?${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().files;
}

/** A shared file has a time twice, the second time as an integer. */
const nameOfColumn = (stored: string) => stored.replace(/_ns$/, '');

/** Fails where the file has other columns. */
async function rowsOfFile(columns: readonly Column[], bytes: Buffer) {
  const { rows, metadata } = await readParquet(columns, bytes);
  const chunks = metadata.row_groups.flatMap((group) => group.columns);
  const names = chunks.map(({ meta_data: chunk }) => nameOfColumn(`${chunk?.path_in_schema[0]}`));
  expect([...new Set(names)]).toEqual(columns.map(({ name }) => nameOfColumn(name)));
  return rows;
}

/** The rows of a file by its link alone; null where that is refused. */
async function fileRows(
  subject: Subject,
  { url }: BulkFile,
  columns: readonly Column[],
): Promise<Cell[][] | null> {
  const dataset = service.dataset(subject.textId);
  const response = await service.app.inject({ url: new URL(url).pathname });
  if (response.statusCode === 403) return null;
  expect(response.statusCode).toBe(200);
  const rows = await rowsOfFile(columns, response.rawPayload);
  return rows.map((row) =>
    row.map((cell, c) => shownCell(cell as Cell, columns[c] as Column, dataset)),
  );
}

describe.each(SUBJECTS)('the files of $textId', (subject) => {
  it('hold exactly the permitted rows, and none by the rules of before', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...[anyRules(subject), anyRules(subject), fc.constantFrom(...VERSIONS)],
        fc.constantFrom(null, halfOf(service.dataset(subject.textId))),
        async (rules, laterRules, version, sample) => {
          await setRules(subject, rules);
          const query = `dataset_version=${version}${sampleText(sample)}`;
          const files = await bulkFiles(subject, query);
          const rows: Cell[][] = [];
          const columns = columnsOf(subject, rules);
          for (const file of files) rows.push(...((await fileRows(subject, file, columns)) ?? []));
          const due = permittedRows(subject, rules, version, sample);
          expect(rows).toEqual(cellsOf(subject, due, columns));

          await setRules(subject, laterRules);
          const left: Cell[][] = [];
          for (const file of files) left.push(...((await fileRows(subject, file, columns)) ?? []));
          const stillDue = permittedRows(subject, laterRules, version, sample);
          const permitted = cellsOf(subject, stillDue, columns);
          if (left.length > 0) expect(columns).toEqual(columnsOf(subject, laterRules));
          expect(without(left, permitted)).toEqual([]);
        },
      ),
      { numRuns: WALKS * 3 },
    );
  });
});

/** The columns that identify daily and longer bars. */
const BAR_KEYS = ['TradeDate', 'Ticker', 'ASID'];

/** Dates and identifiers of the longer bars of the permitted rows, by a plain program. */
function permittedBars(rules: readonly Rule[], version: Version, interval: string): Cell[][] {
  const dataset = service.dataset(DAILY.textId);
  const columns = columnsOf(DAILY, rules, BAR_KEYS);
  const rows = cellsOf(DAILY, permittedRows(DAILY, rules, version), columns).map((row) =>
    Object.fromEntries(row.map((cell, c) => [BAR_KEYS[c], cell === null ? null : String(cell)])),
  );
  const [firstDate = null] = rules.map(({ startDate }) => startDate).toSorted();
  const dated = rows.filter(({ TradeDate }) => TradeDate !== null);
  const bars = longerBars(dataset, dated, interval, BAR_KEYS, firstDate);
  return bars.map((bar) => BAR_KEYS.map((name) => bar[name] as Cell));
}

describe.each(['1w', '1mo'])('the bars of %s', (interval) => {
  it('are of exactly the permitted rows, in pages and files, and none by the rules of before', async () => {
    const dataset = service.dataset(DAILY.textId);
    const columns = BAR_KEYS.map((name) => dataset.columnByName.get(name) as Column);
    const parameters = `interval=${interval}&columns=${BAR_KEYS.join(',')}`;
    await fc.assert(
      fc.asyncProperty(
        ...[anyRules(DAILY), anyRules(DAILY), fc.constantFrom(...VERSIONS)],
        fc.constantFrom('csv_gzip', 'arrow', 'parquet'),
        async (rules, laterRules, version, format) => {
          await setRules(DAILY, rules);
          const query = `${parameters}&dataset_version=${version}&response_format=${format}`;
          const bars = permittedBars(rules, version, interval);
          const url = `/data/us-equity/eq-daily-ohlc?${query}&period=200Y&limit=7`;
          expect(textsOf(await readPages(service, url, format, columns))).toEqual(textsOf(bars));
          const files = await manifestOf(service, `/bulk/us-equity/eq-daily-ohlc?${query}`);
          const filed = await Promise.all(
            files.map((file) => fileCells(service, file, format, columns)),
          );
          expect(textsOf(filed.flatMap((rows) => rows ?? []))).toEqual(textsOf(bars));
          tried.bars += bars.length;

          await setRules(DAILY, laterRules);
          const left = await Promise.all(
            files.map((file) => fileCells(service, file, format, columns)),
          );
          const permitted = permittedBars(laterRules, version, interval);
          expect(
            without(
              left.flatMap((rows) => rows ?? []),
              permitted,
            ),
          ).toEqual([]);
        },
      ),
      { numRuns: WALKS * 4 },
    );
  });
});

describe('the daily bars of futures on dates', () => {
  it('are those of these sessions among the bars of all permitted rows', async () => {
    const tickers = FUTURES.things.map(({ Ticker }) => `${Ticker}`);
    await fc.assert(
      fc.asyncProperty(
        ...[anyRules(FUTURES), fc.constantFrom(...tickers), fc.constantFrom(...DATES)],
        fc.constantFrom('', '.ge', '.gt', '.le', '.in'),
        async (rules, ticker, date, operator) => {
          await setRules(FUTURES, rules);
          // Sums of random rows would leave the 64 bits.
          const columns = 'TradeDate,BarDateTime,OpenTradePrice,CloseBidPrice,MaxSpread';
          const query = `period=200Y&interval=1d&limit=10000&columns=${columns}`;
          const url = `/v1/data/us-futures/taq-1min/${encodeURIComponent(ticker)}?${query}`;
          const all = await service.get(url);
          const some = await service.get(`${url}&TradeDate${operator}=${date}`);
          if (some.statusCode !== 200) return;
          expect(all.statusCode, all.body).toBe(200);
          const { data } = all.json() as { data: { TradeDate: string }[] };
          const isAsked: Record<string, (other: string) => boolean> = {
            '.ge': (other) => other >= date,
            '.gt': (other) => other > date,
            '.le': (other) => other <= date,
          };
          const asked = data.filter(({ TradeDate }) =>
            (isAsked[operator] ?? ((other) => other === date))(TradeDate),
          );
          expect(some.json().data).toEqual(asked);
          const { BaseSymbol } = FUTURES.things.find((thing) => thing.Ticker === ticker) ?? {};
          const subject = { Ticker: ticker, BaseSymbol: BaseSymbol as Cell };
          for (const { TradeDate } of asked) {
            const session: Row = { ...subject, TradeDate };
            expect(isPermitted(FUTURES, rules, session, TradeDate), TradeDate).toBe(true);
          }
          tried.sessions += asked.length;
        },
      ),
      { numRuns: RULE_SETS * 15 },
    );
  });
});

/** The files that the table of a subject has, as a client of Delta Sharing asks for them. */
async function tableFiles({ textId }: Subject, version: number): Promise<BulkFile[]> {
  const headers = { authorization: `Bearer ${service.key}` };
  const base = '/v1/delta-sharing/shares/everything';
  const { items } = (await service.app.inject({ url: `${base}/all-tables`, headers })).json();
  const named = items.find(({ name }: { name: string }) => name === textId);
  const response = await service.app.inject({
    ...{ method: 'POST', url: `${base}/schemas/${named.schema}/tables/${textId}/query` },
    ...{ headers, payload: { version } },
  });
  expect(response.statusCode, response.body).toBe(200);
  const lines = response.body.trim().split('\n').slice(2);
  return lines.map((line) => JSON.parse(line).file);
}

/** Rows of a shared file, with times read from their integer columns. */
async function tableRows(
  subject: Subject,
  { url }: BulkFile,
  shared: readonly Column[],
): Promise<Cell[][] | null> {
  const dataset = service.dataset(subject.textId);
  const response = await service.app.inject({ url: new URL(url).pathname });
  if (response.statusCode === 403) return null;
  expect(response.statusCode).toBe(200);
  const columns = shared.map((column) =>
    column.dataType === 'date-time' ? { ...column, name: `${column.name}_ns` } : column,
  );
  const rows = await rowsOfFile(columns, response.rawPayload);
  return rows.map((row) =>
    row.map((cell, c) => shownCell(cell as Cell, shared[c] as Column, dataset)),
  );
}

describe.each(SUBJECTS)('the shared table of $textId', (subject) => {
  it('has exactly the permitted rows, and none by the rules of before', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...[anyRules(subject), anyRules(subject), fc.constantFrom(...VERSIONS)],
        async (rules, laterRules, version) => {
          await setRules(subject, rules);
          const files = await tableFiles(subject, version);
          const rows: Cell[][] = [];
          const columns = columnsOf(subject, rules);
          for (const file of files) rows.push(...((await tableRows(subject, file, columns)) ?? []));
          expect(rows).toEqual(cellsOf(subject, permittedRows(subject, rules, version), columns));

          await setRules(subject, laterRules);
          const left: Cell[][] = [];
          for (const file of files) left.push(...((await tableRows(subject, file, columns)) ?? []));
          const permitted = cellsOf(subject, permittedRows(subject, laterRules, version), columns);
          if (left.length > 0) expect(columns).toEqual(columnsOf(subject, laterRules));
          expect(without(left, permitted)).toEqual([]);
        },
      ),
      { numRuns: WALKS * 3 },
    );
  });
});

describe('the random requests', () => {
  it('find permitted rows, ask for others, and are refused now and then', async () => {
    expectCameAcross(tried);
    // The first was to see whether a worker is ready.
    if (hasWorkers()) expectCameAcross({ workerPages: (await workerPages()) - 1 });
  });
});
