/**
 * Assigns ASIDs to rows that have none, by ticker and date, and publishes the rows. The lookup of
 * symbols decides. Where it has no company, the ledger of permanent numbers does, which gives each
 * further ticker a number when it is first met.
 */
import { clashesOf } from '@ticklake/market/symbol-chains.ts';
import { counted, firstNames, printableLine } from '../base/printable.ts';
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
import { LoadedRows } from './loaded-rows.ts';
import { type ReferenceRow, referenceRows } from './reference-rows.ts';
import { hasKeyOf } from './slices.ts';

export const SYMBOL_LOOKUP_ID = 'eq_secid_chains_lookup';

const LAST = '9999-12-31';

export interface AssignmentRequest {
  readonly catalog: Catalog;
  /** The ones that are written, among the `assignableDatasets`: all of these are read. */
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
  /** The ASID that the rows had; null: none. */
  readonly replaced: number | null;
  readonly firstDate: string;
  readonly lastDate: string;
  readonly rowCount: number;
  /** True if the ticker had no ASID before: neither a company, nor in the ledger, nor in rows. */
  readonly isNew: boolean;
}

interface NumberedTickers {
  readonly numbers: ReadonlyMap<string, number>;
  readonly newTickers: ReadonlySet<string>;
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
  { catalog, lake }: AssignmentRequest,
  rows: InputRows,
  warnings: string[],
): Promise<{ readonly namedOn: NamedOn; readonly numbers: Set<number> }> {
  const lookup = catalog.byTextId(SYMBOL_LOOKUP_ID);
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
function keyColumns({ columnByName, dateColumn }: Dataset): Column[] | null {
  const columns = ['Ticker', 'ASID', dateColumn ?? ''].map((name) => columnByName.get(name));
  return columns.every((column) => column !== undefined) && columns[1]?.dataType === 'integer'
    ? columns
    : null;
}

/** Datasets whose rows may get an ASID. */
export function assignableDatasets({ datasets }: Catalog): Dataset[] {
  return datasets.filter((dataset) => keyColumns(dataset) !== null);
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
  /** Null: the rows have none. */
  readonly replaced: number | null;
  /** False: its dataset is not written. */
  readonly isWritten: boolean;
  firstDate: string;
  lastDate: string;
  rowCount: number;
}

/** A dataset, and the keys of its dates, months or years whose rows were derived. */
interface SurveyedDataset {
  readonly dataset: Dataset;
  readonly derivedKeys: ReadonlySet<string>;
  readonly isWritten: boolean;
}

/** Gathers which rows of all datasets need an ASID, before anything is written. */
class Survey {
  /** The parts whose rows get an ASID. */
  readonly parts = new Map<SurveyedDataset, readonly IndexedPart[]>();
  readonly warnings: string[];
  readonly numbers: Set<number>;
  /** Numbers that rows of a ticker have where nothing names the company. */
  readonly numbersOf = new Map<string, Set<number>>();
  differingCount = 0;
  /** Derived rows that would get an ASID if they had been loaded. */
  derivedCount = 0;
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

  /** The ASID that a loaded row gets; null: nothing names it; undefined: the row stays as it is. */
  decide(ticker: string, date: string, asid: number): number | null | undefined {
    const named = this.#namedOn(ticker, date);
    if (Number.isNaN(asid)) return named === undefined ? null : (named ?? undefined);
    return this.#corrects && typeof named === 'number' && named !== asid ? named : undefined;
  }

  /** True if loaded rows of the batch, which has the key columns, need an ASID. */
  add({ derivedKeys, isWritten }: SurveyedDataset, { columns, rowCount }: ColumnBatch): boolean {
    let hasGaps = false;
    visitRows(columns, rowCount, (_, ticker, date, asid) => {
      const isDerived = hasKeyOf(derivedKeys, date);
      if (!Number.isNaN(asid) && !isDerived) this.#addNumber(ticker, date, asid);
      const decided = this.decide(ticker, date, asid);
      if (decided === undefined) return;
      if (isDerived) {
        this.derivedCount++;
        return;
      }
      hasGaps = true;
      const replaced = Number.isNaN(asid) ? null : asid;
      this.#addGap(date, { ticker, asid: decided, replaced, isWritten });
    });
    return hasGaps;
  }

  #addNumber(ticker: string, date: string, asid: number): void {
    this.numbers.add(asid);
    const named = this.#namedOn(ticker, date);
    if (typeof named === 'number' && named !== asid) this.differingCount++;
    if (named !== undefined) return;
    this.numbersOf.getOrInsertComputed(ticker, () => new Set()).add(asid);
  }

  #addGap(date: string, of: Pick<Gap, 'ticker' | 'asid' | 'replaced' | 'isWritten'>): void {
    const key = `${of.asid} ${of.replaced} ${of.isWritten} ${of.ticker}`;
    const unmet = { ...of, firstDate: date, lastDate: date, rowCount: 0 };
    const gap: Gap = this.#gaps.getOrInsert(key, unmet);
    if (date < gap.firstDate) gap.firstDate = date;
    if (date > gap.lastDate) gap.lastDate = date;
    gap.rowCount++;
  }
}

/** Says what the survey found that stays as it is. */
function warnOfOthers({ warnings, gaps, differingCount, derivedCount }: Survey, corrects: boolean) {
  if (differingCount > 0 && !corrects) {
    const differ = `another ASID than ${SYMBOL_LOOKUP_ID} or a map file says`;
    const rows = counted(differingCount, 'row');
    warnings.push(`${rows} with ${differ}; --correct replaces it`);
  }
  const others = gaps.filter(({ isWritten }) => !isWritten);
  const otherCount = others.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const lack = `without ${corrects ? 'the right' : 'an'} ASID`;
  if (otherCount > 0) {
    warnings.push(`${counted(otherCount, 'row')} ${lack} in datasets that are not named`);
  }
  if (derivedCount > 0) {
    const rows = counted(derivedCount, 'derived row');
    warnings.push(`${rows} ${lack}; ticklake derive takes it from their input rows`);
  }
}

async function surveyAll(request: AssignmentRequest, partsOf: PartsOf): Promise<Survey> {
  const { catalog, datasets, engine, lake, signal, corrects } = request;
  const warnings: string[] = [];
  const rows = new InputRows(partsOf, engine, signal);
  const loaded = new LoadedRows(lake.ledger, rows);
  const { namedOn, numbers } = await readSymbols(request, rows, warnings);
  const survey = new Survey(namedOn, numbers, corrects, warnings);
  for (const dataset of assignableDatasets(catalog)) {
    const columns = keyColumns(dataset) ?? [];
    const parts = await partsOf(dataset);
    const derivedKeys = await loaded.derivedKeys(dataset, parts);
    const surveyed = { dataset, derivedKeys, isWritten: datasets.includes(dataset) };
    const found: IndexedPart[] = [];
    for (const part of parts) {
      let hasGaps = false;
      for await (const batch of engine.scan({ ...planOfAll(dataset, [part]), columns }, signal)) {
        hasGaps = survey.add(surveyed, batch) || hasGaps;
        batch.release?.();
      }
      if (hasGaps) found.push(part);
    }
    if (found.length > 0 && surveyed.isWritten) survey.parts.set(surveyed, found);
  }
  warnOfOthers(survey, corrects);
  return survey;
}

/** The numbers of tickers that have no history in the ledger. */
function numbersOf(securities: readonly Security[]): ReadonlyMap<string, number> {
  const alone = securities.filter(({ firstDate }) => firstDate === null);
  return new Map(alone.map(({ firstTicker, securityId }) => [firstTicker, securityId]));
}

const SHOWN_MAX = 3;

/** Rows of one ticker do not fit together if they have its number and others. */
function warnOfSplits(survey: Survey, met: ReadonlyMap<string, number>): void {
  const split = [...survey.numbersOf].flatMap(([ticker, found]) => {
    const number = met.get(ticker);
    const others = [...found].filter((asid) => asid !== number);
    if (number === undefined || others.length === 0) return [];
    return [`${ticker} is ${number}, and rows have ${firstNames(others.map(String), SHOWN_MAX)}`];
  });
  if (split.length === 0) return;
  const tickers = `${counted(split.length, 'ticker')} with other ASIDs than when first met`;
  survey.warnings.push(`${tickers}: ${firstNames(split.sort(), SHOWN_MAX)}`);
}

/**
 * The numbers of tickers that no company is named for: that of the ledger, else the only one that
 * other rows of the ticker have, else a new one. With several to choose from, a ticker gets none.
 */
async function numberTickers(
  lake: Lake,
  survey: Survey,
  isDryRun: boolean,
): Promise<NumberedTickers> {
  const known = await lake.securities.all();
  const met = numbersOf(known);
  warnOfSplits(survey, met);
  const numbers = new Map<string, number>();
  const uses: TickerUse[] = [];
  for (const { ticker, asid, isWritten, firstDate, lastDate } of survey.gaps) {
    if (asid !== null) continue;
    const found = [...(survey.numbersOf.get(ticker) ?? [])];
    const [only] = found;
    if (met.has(ticker) || only === undefined) uses.push({ ticker, firstDate, lastDate });
    else if (found.length === 1) numbers.set(ticker, only);
    else if (isWritten) {
      const ids = `other rows have the ASIDs ${firstNames(found.map(String), SHOWN_MAX)}`;
      survey.warnings.push(`${ticker} from ${firstDate} to ${lastDate} gets no ASID: ${ids}`);
    }
  }
  const decide = (all: readonly Security[]) => assignNumbers(all, [], uses, survey.numbers);
  const { securities } = isDryRun ? decide(known) : await lake.securities.assign(decide);
  const tickers = uses.map(({ ticker }) => ticker);
  return {
    numbers: new Map([...numbersOf(securities), ...numbers]),
    newTickers: new Set(tickers.filter((ticker) => !met.has(ticker))),
  };
}

const byTicker = (a: AssignedSymbol, b: AssignedSymbol) =>
  a.ticker === b.ticker ? (a.firstDate < b.firstDate ? -1 : 1) : a.ticker < b.ticker ? -1 : 1;

function assignmentOf({ gaps, warnings }: Survey, { numbers, newTickers }: NumberedTickers) {
  const symbols = gaps.flatMap(({ asid: named, isWritten, ...gap }) => {
    const asid = named ?? numbers.get(gap.ticker);
    const isNew = named === null && newTickers.has(gap.ticker);
    return asid === undefined || !isWritten ? [] : [{ ...gap, asid, isNew }];
  });
  return { symbols: symbols.sort(byTicker), warnings };
}

function withIds(
  { dataset, derivedKeys }: SurveyedDataset,
  { rowCount, columns }: ColumnBatch,
  survey: Survey,
  numbers: ReadonlyMap<string, number>,
): ColumnBatch {
  const places = (keyColumns(dataset) ?? []).map((column) => dataset.columns.indexOf(column));
  const keys = places.map((place) => columns[place] as ColumnVector);
  const given = new Map<number, number>();
  visitRows(keys, rowCount, (row, ticker, date, asid) => {
    if (hasKeyOf(derivedKeys, date)) return;
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
  surveyed: SurveyedDataset,
  survey: Survey,
  numbers: ReadonlyMap<string, number>,
): Promise<LoadedDataset | null> {
  const { dataset } = surveyed;
  const writer = await lake.openWriter(dataset, signal);
  try {
    const parts = survey.parts.get(surveyed) ?? [];
    for await (const batch of engine.scan(planOfAll(dataset, parts), signal)) {
      await writer.append(withIds(surveyed, batch, survey, numbers));
      batch.release?.();
    }
    // The parts keep the loads and derivations that their rows come from.
    const removed = { dates: null, identifiers: null };
    const place = { dataset, mode: 'replace' as const, removed };
    const written = await publication.write({ ...place, repeats: { staleText: null } }, writer);
    const { isUnchanged, rowCount, replacedRowCount, partitions, findings: checks } = written;
    const { datasetId, textId } = dataset;
    return isUnchanged
      ? null
      : { datasetId, textId, rowCount, replacedRowCount, partitions, checks };
  } finally {
    await writer.close();
  }
}

const TOLD_MAX = 20;
const TICKER_CHARACTERS = 40;

/** The ASID that rows get, and the one that it corrects. */
export function asidText({ asid, replaced }: AssignedSymbol): string {
  return replaced === null ? `${asid}` : `${asid} in place of ${replaced}`;
}

/** For the ledger. */
function toldText({ symbols }: Assignment): string {
  const texts = symbols.map(
    (symbol) => `${printableLine(symbol.ticker).slice(0, TICKER_CHARACTERS)} ${asidText(symbol)}`,
  );
  return `gave rows these ASIDs: ${firstNames(texts, TOLD_MAX)}`;
}

/** Writes the rows that get an ASID into a publication. */
export async function assignInto(
  request: AssignmentRequest,
  publication: OpenPublication,
): Promise<AssignmentReport> {
  const survey = await surveyAll(request, (dataset) => publication.partsOf(dataset));
  const numbered = await numberTickers(request.lake, survey, false);
  const datasets: LoadedDataset[] = [];
  for (const surveyed of survey.parts.keys()) {
    const written = await writeDataset(request, publication, surveyed, survey, numbered.numbers);
    if (written) datasets.push(written);
  }
  const assignment = assignmentOf(survey, numbered);
  if (datasets.length === 0) publication.publishNothing('no ASID was assigned');
  else await publication.note({ message: toldText(assignment) });
  return { ...publication.outcome, ...assignment, datasets };
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
  // Rows that are written again do not count as loaded anew.
  const kind = 'derivation' as const;
  const options = { datasets, kind, command: 'symbols assign', signal, onWait };
  return await lake.publication(options, (publication) => assignInto(request, publication));
}
