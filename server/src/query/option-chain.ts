/**
 * The datasets that an option chain comes from, each read by the rules that its caller has at that
 * moment.
 */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { RequestFilter } from '../request/data-request.ts';
import { LATEST, type Period } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import { ChainTicks, OPTION_TICKS, TICK_COLUMNS } from '../symbology/chain-ticks.ts';
import {
  ANALYTICS_COLUMNS,
  ChainAnalytics,
  type ListedContract,
  listedContracts,
  MASTER_COLUMNS,
  OPTION_ANALYTICS,
} from '../symbology/option-chain.ts';
import { CONTRACT_MASTER, type ContractFilter, usualRoot } from '../symbology/option-contract.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import type { PlannedRequest } from './plan-request.ts';
import { datasetFor, filterOf, planReading, type RowsQuestion } from './read-dataset.ts';
import { asOfNow, countScan, type Reader, type ReaderNow } from './reader.ts';

/** As a data request says it. */
interface AskedVersions {
  readonly ticks: number | null;
  readonly contracts: number | null;
  readonly analytics: number | null;
  readonly asOf: string | null;
}

export interface AskedChain {
  readonly underlying: string;
  /** The parameter that says when. */
  readonly timeField: 'date' | 'at';
  /** Trade date. */
  readonly date: string;
  /** UTC nanoseconds. With `date`, the end of stock trading, which is no longer part of it. */
  readonly moment: bigint;
  /** True if the analytics of the date were known by then. */
  readonly isAfterClose: boolean;
  readonly filter: ContractFilter;
  readonly offset: number;
  readonly limit: number;
  readonly versions: AskedVersions;
}

/** Outcomes for a dataset that a chain draws on. */
export const SOURCE_STATES = [
  'read',
  'forbidden',
  'outside_window',
  'not_published',
  'not_offered',
] as const;

export type SourceState = (typeof SOURCE_STATES)[number];

/** How far the analytics before a date are looked for: longer than any market has been closed. */
const ANALYTICS_PERIOD: Period = { count: 10, unit: 'D' };

/** Outcome of reading one dataset. */
export interface Source {
  readonly textId: string;
  readonly dataset: Dataset | null;
  readonly version: number | null;
  readonly state: SourceState;
}

/** The rows that are asked of a dataset; `asOf` holds where no version is named by its number. */
interface AskedRows extends RowsQuestion {
  readonly versionNumber: number | null;
  readonly asOf: string | null;
}

function planRows(
  reader: ReaderNow,
  dataset: Dataset,
  { versionNumber, asOf, ...question }: AskedRows,
): Promise<PlannedRequest> {
  const ofTime = asOf === null ? null : { asOf };
  const version = versionNumber === null ? ofTime : { version: versionNumber };
  return planReading(reader, dataset, { ...question, version });
}

/** Names that stand for one or several: only one alone is refused outside of a universe. */
function tickersIn(names: readonly string[]): RequestFilter {
  return filterOf('Ticker', names.length === 1 ? 'eq' : 'in', ...names);
}

/** Reads rows as the caller may read them now. */
async function* scanNow(
  reader: Reader,
  planned: PlannedRequest,
  signal: AbortSignal,
): AsyncIterable<ColumnBatch> {
  countScan(reader, planned.plan);
  for await (const batch of reader.services.engine.scan(planned.plan, signal)) {
    yield batch;
    batch.release?.();
  }
}

/** The state that a refusal gives an optional dataset; null: the whole request fails. */
function stateOf(error: unknown, { versionNumber }: AskedRows): SourceState | null {
  if (!(error instanceof ApiError)) return null;
  if (error.kind === 'forbidden') return 'forbidden';
  if (error.kind === 'invalid') return 'outside_window';
  return error.kind === 'not found' && versionNumber === null ? 'not_published' : null;
}

/** Reads a dataset that the chain can do without. `read` is called where there are rows to read. */
async function readOptional(
  reader: Reader,
  { textId, ...asked }: AskedRows & { readonly textId: string },
  read: (plan: QueryPlan, batches: () => AsyncIterable<ColumnBatch>) => Promise<void>,
  signal: AbortSignal,
): Promise<Source> {
  const dataset = reader.services.catalog.byTextId(textId) ?? null;
  if (!dataset) return { textId, dataset, version: null, state: 'not_offered' };
  const current = await asOfNow(reader);
  try {
    const planned = await planRows(current, dataset, asked);
    const { plan } = planned;
    await read(plan, () => scanNow(reader, planned, signal));
    const state = plan.version === null ? 'not_published' : 'read';
    return { textId, dataset, version: plan.version, state };
  } catch (error) {
    const state = stateOf(error, asked);
    if (state === null) throw error;
    return { textId, dataset, version: null, state };
  }
}

/** An ApiError 'not found' where the server does not offer it. */
export function ticksDataset({ services }: Pick<Reader, 'services'>): Dataset {
  return datasetFor(services.catalog, OPTION_TICKS, 'from whose quotes option chains come');
}

/** The contracts on the underlying. */
export async function readMaster(
  reader: Reader,
  { underlying, date, versions }: AskedChain,
  signal: AbortSignal,
): Promise<{ source: Source; listed: readonly ListedContract[] }> {
  const listed: ListedContract[] = [];
  const asked = {
    textId: CONTRACT_MASTER,
    columns: MASTER_COLUMNS,
    filters: [filterOf('UnderTicker', 'eq', underlying), filterOf('Expiration', 'ge', date)],
    ...{ versionNumber: versions.contracts, asOf: versions.asOf },
  };
  const read = async ({ columns }: QueryPlan, batches: () => AsyncIterable<ColumnBatch>) => {
    for await (const batch of batches()) listed.push(...listedContracts(columns, batch));
  };
  const source = await readOptional(reader, asked, read, signal);
  return { source, listed };
}

/**
 * The roots of the contracts on the underlying that are asked for; where none is known, the usual
 * one. Throws an ApiError 'invalid' for a root of another underlying.
 */
export function rootsOf(
  { underlying, filter: { root } }: AskedChain,
  listed: readonly ListedContract[],
): readonly string[] {
  const known = [...new Set(listed.map(({ terms }) => terms.root))].sort();
  if (root === null) return known.length > 0 ? known : [usualRoot(underlying)];
  if (known.length === 0 || known.includes(root)) return [root];
  const msg = `'root' should be one of those of ${underlying}: ${known.join(', ')}`;
  throw new ApiError('invalid', [problemAt(['query', 'root'], 'illegal_value', msg, root)]);
}

/** The date's ticks up to the moment. */
function askedTicks(
  { date, moment, timeField, versions }: AskedChain,
  root: RequestFilter,
): AskedRows {
  const instant = Temporal.Instant.fromEpochNanoseconds(moment);
  const bound = filterOf('EventDateTime', timeField === 'date' ? 'lt' : 'le', instant.toString());
  const filters = [filterOf('TradeDate', 'eq', date), root, bound];
  return { columns: TICK_COLUMNS, filters, versionNumber: versions.ticks, asOf: versions.asOf };
}

/** Problems of a date name the parameter that says it. */
function toldByField(error: unknown, { timeField }: AskedChain): unknown {
  if (!(error instanceof ApiError) || typeof error.detail === 'string') return error;
  const problems = error.detail.map((problem) =>
    problem.loc.includes('TradeDate') ? { ...problem, loc: ['query', timeField] } : problem,
  );
  return new ApiError(error.kind, problems);
}

/** Rejects with an ApiError where the caller may not read ticks of the date, whatever the roots. */
export async function planTicks(
  reader: ReaderNow,
  asked: AskedChain,
  root = filterOf('Ticker', 'in', asked.filter.root ?? usualRoot(asked.underlying)),
): Promise<PlannedRequest> {
  try {
    return await planRows(reader, ticksDataset(reader), askedTicks(asked, root));
  } catch (error) {
    throw toldByField(error, asked);
  }
}

/** The last date of ticks that the caller may read. Rejects with an ApiError for one without. */
export async function latestTickDate(
  reader: ReaderNow,
  { ticks, asOf }: AskedVersions,
): Promise<string> {
  const filters = [filterOf('TradeDate', 'eq', LATEST)];
  const asked = { columns: TICK_COLUMNS, filters, versionNumber: ticks, asOf };
  const { plan } = await planRows(reader, ticksDataset(reader), asked);
  return plan.latestDate as string;
}

/**
 * The quotes, trades and open interest of the contracts. Rejects as `planTicks` does, and for a
 * root that is not the caller's.
 */
export async function readTicks(
  reader: Reader,
  asked: AskedChain,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<{ source: Source; ticks: ChainTicks }> {
  const planned = await planTicks(await asOfNow(reader), asked, tickersIn(roots));
  const { dataset, version, columns } = planned.plan;
  const ticks = new ChainTicks(
    columns,
    asked.filter,
    utcOfMarketTime(dataset.timeZone, asked.date, 0),
  );
  for await (const batch of scanNow(reader, planned, signal)) ticks.take(batch);
  const state = version === null ? 'not_published' : 'read';
  return { source: { textId: OPTION_TICKS, dataset, version, state }, ticks };
}

/** The analytics that were known at the moment. */
export async function readAnalytics(
  reader: Reader,
  { date, isAfterClose, versions }: AskedChain,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<{ source: Source; analytics: ChainAnalytics | null }> {
  const asked = {
    textId: OPTION_ANALYTICS,
    columns: ANALYTICS_COLUMNS,
    filters: [filterOf('TradeDate', isAfterClose ? 'eq' : 'lt', date), tickersIn(roots)],
    period: isAfterClose ? null : ANALYTICS_PERIOD,
    ...{ versionNumber: versions.analytics, asOf: versions.asOf },
  };
  let analytics: ChainAnalytics | null = null;
  const read = async ({ columns }: QueryPlan, batches: () => AsyncIterable<ColumnBatch>) => {
    analytics = new ChainAnalytics(columns);
    for await (const batch of batches()) analytics.take(batch);
  };
  const source = await readOptional(reader, asked, read, signal);
  return { source, analytics };
}
