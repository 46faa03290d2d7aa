/**
 * Gives rows without an ASID that of their ticker on their day, and publishes them. The lookup of
 * symbols decides; where it has no company, the ledger of permanent numbers, which gives each
 * further ticker a number when it is first met.
 */
import { clashesOf } from '@ticklake/market/symbol-chains.ts';
import { counted, firstNames } from '../base/printable.ts';
import type { Catalog, Column, Dataset } from '../catalog/dataset.ts';
import {
  type ColumnBatch,
  type ColumnVector,
  cellAt,
  cellsOf,
  dateOfDays,
} from '../engine/columns.ts';
import type { EngineReader } from '../engine/engine.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import { planOfAll } from '../engine/plan-of-all.ts';
import type { LoadedDataset } from '../ingest/ingest-files.ts';
import { assignNumbers, type TickerUse } from '../ingest/lean/assign-numbers.ts';
import { Identities } from '../ingest/lean/identities.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication, PublicationOutcome } from '../lake/publication.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import type { Security } from '../store/securities.ts';
import { InputRows, type PartsOf } from './input-rows.ts';
import { type ReferenceRow, referenceRows } from './reference-rows.ts';

export const SYMBOL_LOOKUP_ID = 'eq_secid_chains_lookup';

const LAST = '9999-12-31';

export interface AssignmentRequest {
  readonly catalog: Catalog;
  /** All of them have `keyColumns`. */
  readonly datasets: readonly Dataset[];
  readonly lake: Lake;
  readonly engine: EngineReader;
  /** True if rows whose ASID is another one than the lookup says get that of the lookup. */
  readonly corrects: boolean;
  readonly signal: AbortSignal;
  readonly onWait: () => void;
}

/** Rows of a ticker that get an ASID. */
export interface AssignedSymbol {
  readonly ticker: string;
  readonly asid: number;
  readonly firstDate: string;
  readonly lastDate: string;
  readonly rowCount: number;
}

export interface Assignment {
  /** By ticker, then by date. */
  readonly symbols: readonly AssignedSymbol[];
  readonly warnings: readonly string[];
}

export interface AssignmentReport extends Assignment, PublicationOutcome {
  /** The datasets that were written. */
  readonly datasets: readonly LoadedDataset[];
}

/**
 * The company that a ticker was on a day, as lookup and map files say. Null: none, it is a test
 * symbol; undefined: nothing says.
 */
type NamedOn = (ticker: string, date: string) => number | null | undefined;

const LOOKUP_COLUMNS = {
  ASID: 'number',
  Ticker: 'text',
  StartDate: 'date',
  EndDate: 'date',
} as const;

async function readSymbols(
  { catalog, engine, lake, signal }: AssignmentRequest,
  partsOf: PartsOf,
  warnings: string[],
): Promise<{ readonly namedOn: NamedOn; readonly numbers: Set<number> }> {
  const lookup = catalog.byTextId(SYMBOL_LOOKUP_ID);
  const rows = new InputRows(partsOf, engine, signal);
  const read: InputRows['read'] = (...asked) => rows.read(...asked);
  const all: ReferenceRow<typeof LOOKUP_COLUMNS>[] = [];
  for await (const batch of referenceRows({ read }, lookup, LOOKUP_COLUMNS, null))
    all.push(...batch);
  const companies = all.flatMap(({ ASID: id, Ticker: ticker, StartDate, EndDate: endDate }) =>
    id === null || ticker === null ? [] : [{ id, ticker, startDate: StartDate, endDate }],
  );
  for (const { ticker, date, ids } of clashesOf(companies)) {
    const both = `the symbol of ASID ${ids[0]} and ${ids[1]} on one day`;
    warnings.push(`${SYMBOL_LOOKUP_ID} ${date} ${ticker}: ${both}; the first one counts`);
  }
  const uses = Map.groupBy(all, ({ Ticker }) => Ticker);
  const identities = new Identities(await lake.securities.all());
  const namedOn: NamedOn = (ticker, date) => {
    const use = uses
      .get(ticker)
      ?.find(({ StartDate, EndDate }) => (StartDate ?? '') <= date && date <= (EndDate ?? LAST));
    return use ? use.ASID : (identities.companyOn(ticker, date) ?? undefined);
  };
  return { namedOn, numbers: new Set(companies.map(({ id }) => id)) };
}

/** Ticker, ASID and date; null: a dataset lacks one of them. */
export function keyColumns({ columnByName, dateColumn }: Dataset): Column[] | null {
  const columns = ['Ticker', 'ASID', dateColumn ?? ''].map((name) => columnByName.get(name));
  return columns.every((column) => column !== undefined) && columns[1]?.dataType === 'integer'
    ? columns
    : null;
}

/** Calls `visit` for each row with a ticker and a date; an `asid` of NaN is none. */
function visitRows(
  [tickers, asids, dates]: readonly ColumnVector[],
  rowCount: number,
  visit: (row: number, ticker: string, date: string, asid: number) => void,
): void {
  if (!tickers || !asids || !dates) throw new Error('ticker, ASID and date are needed');
  const [tickerOf, asidOf, dayOf] = [textReader(tickers), doubleReader(asids), doubleReader(dates)];
  let known = { day: Number.NaN, date: '' };
  for (let row = 0; row < rowCount; row++) {
    const [ticker, day] = [tickerOf(row), dayOf(row)];
    if (ticker === null || Number.isNaN(day)) continue;
    if (day !== known.day) known = { day, date: dateOfDays(day) };
    visit(row, ticker, known.date, asidOf(row));
  }
}

/** Rows of a ticker without an ASID, or with a wrong one. */
interface Gap {
  readonly ticker: string;
  /** Null: nothing names the company. */
  readonly asid: number | null;
  firstDate: string;
  lastDate: string;
  rowCount: number;
}

/** Gathers which rows of all datasets need an ASID, before anything is written. */
class Survey {
  /** By dataset, the parts whose rows get an ASID. */
  readonly parts = new Map<Dataset, readonly IndexedPart[]>();
  readonly warnings: string[];
  readonly numbers: Set<number>;
  /** Numbers that rows of a ticker have where nothing names the company. */
  readonly numbersOf = new Map<string, Set<number>>();
  differingCount = 0;
  readonly #gaps = new Map<string, Gap>();
  readonly #namedOn: NamedOn;
  readonly #corrects: boolean;

  constructor(namedOn: NamedOn, numbers: Set<number>, corrects: boolean, warnings: string[]) {
    this.#namedOn = namedOn;
    this.numbers = numbers;
    this.#corrects = corrects;
    this.warnings = warnings;
  }

  get gaps(): readonly Gap[] {
    return [...this.#gaps.values()];
  }

  /** The ASID that a row gets; null: nothing names it; undefined: the row stays as it is. */
  decide(ticker: string, date: string, asid: number): number | null | undefined {
    const named = this.#namedOn(ticker, date);
    if (Number.isNaN(asid)) return named === undefined ? null : (named ?? undefined);
    return this.#corrects && typeof named === 'number' && named !== asid ? named : undefined;
  }

  /** True if rows of the batch, which has the key columns, get an ASID. */
  add({ columns, rowCount }: ColumnBatch): boolean {
    let hasGaps = false;
    visitRows(columns, rowCount, (_, ticker, date, asid) => {
      if (!Number.isNaN(asid)) this.#addNumber(ticker, date, asid);
      const decided = this.decide(ticker, date, asid);
      if (decided === undefined) return;
      hasGaps = true;
      this.#addGap(ticker, date, decided);
    });
    return hasGaps;
  }

  #addNumber(ticker: string, date: string, asid: number): void {
    this.numbers.add(asid);
    const named = this.#namedOn(ticker, date);
    if (typeof named === 'number' && named !== asid) this.differingCount++;
    if (named !== undefined) return;
    this.numbersOf.set(ticker, (this.numbersOf.get(ticker) ?? new Set()).add(asid));
  }

  #addGap(ticker: string, date: string, asid: number | null): void {
    const key = `${asid} ${ticker}`;
    const unmet = { ticker, asid, firstDate: date, lastDate: date, rowCount: 0 };
    const gap: Gap = this.#gaps.get(key) ?? unmet;
    if (date < gap.firstDate) gap.firstDate = date;
    if (date > gap.lastDate) gap.lastDate = date;
    gap.rowCount++;
    this.#gaps.set(key, gap);
  }
}

/** Derived rows get their ASIDs from the rows that they are derived from. */
async function isDerived(lake: Lake, { publicationIds }: IndexedPart): Promise<boolean> {
  const records = await Promise.all(publicationIds.map((id) => lake.ledger.publication(id)));
  return records.some((record) => record?.kind === 'derivation');
}

async function surveyAll(request: AssignmentRequest, partsOf: PartsOf): Promise<Survey> {
  const { datasets, engine, lake, signal, corrects } = request;
  const warnings: string[] = [];
  const { namedOn, numbers } = await readSymbols(request, partsOf, warnings);
  const survey = new Survey(namedOn, numbers, corrects, warnings);
  for (const dataset of datasets) {
    const columns = keyColumns(dataset) ?? [];
    const found: IndexedPart[] = [];
    for (const part of await partsOf(dataset)) {
      if (await isDerived(lake, part)) continue;
      let hasGaps = false;
      for await (const batch of engine.scan({ ...planOfAll(dataset, [part]), columns }, signal)) {
        hasGaps = survey.add(batch) || hasGaps;
        batch.release?.();
      }
      if (hasGaps) found.push(part);
    }
    if (found.length > 0) survey.parts.set(dataset, found);
  }
  if (survey.differingCount > 0 && !corrects) {
    const differ = `another ASID than ${SYMBOL_LOOKUP_ID} or a map file says`;
    const rows = counted(survey.differingCount, 'row');
    warnings.push(`${rows} with ${differ}; --correct gives them that one`);
  }
  return survey;
}

/** The numbers of tickers that have no history in the ledger. */
function numbersOf(securities: readonly Security[]): ReadonlyMap<string, number> {
  const alone = securities.filter(({ firstDate }) => firstDate === null);
  return new Map(alone.map(({ firstTicker, securityId }) => [firstTicker, securityId]));
}

const SHOWN_MAX = 3;

/**
 * The numbers of tickers that no company is named for: that of the ledger, else the only one that
 * other rows of the ticker have, else a new one. With several to choose from, a ticker gets none.
 */
async function numberTickers(
  lake: Lake,
  survey: Survey,
  isDryRun: boolean,
): Promise<ReadonlyMap<string, number>> {
  const known = await lake.securities.all();
  const met = numbersOf(known);
  const numbers = new Map<string, number>();
  const uses: TickerUse[] = [];
  for (const { ticker, asid, firstDate, lastDate } of survey.gaps) {
    if (asid !== null) continue;
    const found = [...(survey.numbersOf.get(ticker) ?? [])];
    const [only] = found;
    if (met.has(ticker) || only === undefined) uses.push({ ticker, firstDate, lastDate });
    else if (found.length === 1) numbers.set(ticker, only);
    else {
      const ids = `other rows have the ASIDs ${firstNames(found.map(String), SHOWN_MAX)}`;
      survey.warnings.push(`${ticker} from ${firstDate} to ${lastDate} gets no ASID: ${ids}`);
    }
  }
  const decide = (all: readonly Security[]) => assignNumbers(all, [], uses, survey.numbers);
  const { securities } = isDryRun ? decide(known) : await lake.securities.assign(decide);
  return new Map([...numbersOf(securities), ...numbers]);
}

const byTicker = (a: AssignedSymbol, b: AssignedSymbol) =>
  a.ticker === b.ticker ? (a.firstDate < b.firstDate ? -1 : 1) : a.ticker < b.ticker ? -1 : 1;

function assignmentOf({ gaps, warnings }: Survey, numbers: ReadonlyMap<string, number>) {
  const symbols = gaps.flatMap(({ asid: named, ...gap }) => {
    const asid = named ?? numbers.get(gap.ticker);
    return asid === undefined ? [] : [{ ...gap, asid }];
  });
  return { symbols: symbols.sort(byTicker), warnings };
}

function withIds(
  dataset: Dataset,
  { rowCount, columns }: ColumnBatch,
  survey: Survey,
  numbers: ReadonlyMap<string, number>,
): ColumnBatch {
  const places = (keyColumns(dataset) ?? []).map((column) => dataset.columns.indexOf(column));
  const keys = places.map((place) => columns[place] as ColumnVector);
  const given = new Map<number, number>();
  visitRows(keys, rowCount, (row, ticker, date, asid) => {
    const decided = survey.decide(ticker, date, asid);
    const number = decided === null ? numbers.get(ticker) : decided;
    if (number !== undefined) given.set(row, number);
  });
  const at = places[1] as number;
  const cells = cellsOf({ dataType: 'integer' }, rowCount);
  for (let row = 0; row < rowCount; row++) {
    cells.set(row, given.get(row) ?? cellAt(columns[at] as ColumnVector, row));
  }
  return { rowCount, columns: columns.with(at, cells.vector(rowCount)) };
}

/** Null: no row gets another ASID. */
async function writeDataset(
  { lake, engine, signal }: AssignmentRequest,
  publication: OpenPublication,
  dataset: Dataset,
  survey: Survey,
  numbers: ReadonlyMap<string, number>,
): Promise<LoadedDataset | null> {
  const writer = await lake.openWriter(dataset, signal);
  try {
    const parts = survey.parts.get(dataset) ?? [];
    for await (const batch of engine.scan(planOfAll(dataset, parts), signal)) {
      await writer.append(withIds(dataset, batch, survey, numbers));
      batch.release?.();
    }
    const options = { dataset, mode: 'replace' as const, repeats: { staleText: null } };
    const written = await publication.write(options, writer);
    const { isUnchanged, rowCount, replacedRowCount, partitions, findings: checks } = written;
    const { datasetId, textId } = dataset;
    return isUnchanged
      ? null
      : { datasetId, textId, rowCount, replacedRowCount, partitions, checks };
  } finally {
    await writer.close();
  }
}

async function assignInto(
  request: AssignmentRequest,
  publication: OpenPublication,
): Promise<AssignmentReport> {
  const survey = await surveyAll(request, (dataset) => publication.partsOf(dataset));
  const numbers = await numberTickers(request.lake, survey, false);
  const datasets: LoadedDataset[] = [];
  for (const dataset of survey.parts.keys()) {
    const written = await writeDataset(request, publication, dataset, survey, numbers);
    if (written) datasets.push(written);
  }
  if (datasets.length === 0) publication.publishNothing('no rows get an ASID');
  return { ...publication.outcome, ...assignmentOf(survey, numbers), datasets };
}

/** Finds out what `assignIds` would do; publishes nothing and keeps no number. */
export async function previewIds(request: AssignmentRequest): Promise<Assignment> {
  const { lake } = request;
  const survey = await surveyAll(request, ({ datasetId }) => lake.publishedParts(datasetId));
  return assignmentOf(survey, await numberTickers(lake, survey, true));
}

/** Publishes all datasets at once, or none; numbers stay in the ledger all the same. */
export async function assignIds(request: AssignmentRequest): Promise<AssignmentReport> {
  const { datasets, lake, signal, onWait } = request;
  const options = { datasets, command: 'symbols assign', signal, onWait };
  return await lake.publication(options, (publication) => assignInto(request, publication));
}
