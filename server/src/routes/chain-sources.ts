/** The datasets that an option chain comes from, each read by the rules that its caller has at that moment. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { parseDataRequest } from '../request/data-request.ts';
import { problemAt } from '../request/request-problem.ts';
import {
  ANALYTICS_COLUMNS,
  ChainAnalytics,
  OPTION_ANALYTICS,
} from '../symbology/chain-analytics.ts';
import { ChainTicks, OPTION_TICKS, TICK_COLUMNS } from '../symbology/chain-ticks.ts';
import {
  type ListedContract,
  listedContracts,
  MASTER_COLUMNS,
} from '../symbology/contract-master.ts';
import { usualRoot } from '../symbology/option-contract.ts';
import { CONTRACT_MASTER } from '../symbology/osi-symbols.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import { countScan, type PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';
import type { SOURCE_STATES } from './option-chain-answers.ts';
import type { AskedChain } from './option-chain-fields.ts';
import { BULK, planRequest } from './plan-request.ts';
import { asOfNow } from './recheck.ts';

export type SourceState = (typeof SOURCE_STATES)[number];

/** How far the analytics before a date are looked for: longer than any market has been closed. */
const ANALYTICS_PERIOD = '10D';

/** What was read of a dataset. */
export interface Source {
  readonly textId: string;
  readonly dataset: Dataset | null;
  readonly version: number | null;
  readonly state: SourceState;
}

type Filters = readonly (readonly [name: string, value: string])[];

/** The rows that are asked of a dataset. */
interface AskedRows {
  readonly columns: readonly string[];
  readonly filters: Filters;
  /** A version by its number; null: that of `asOf`, or the current one. */
  readonly version: number | null;
  readonly asOf: string | null;
}

function versionFilters({ version, asOf }: AskedRows): Filters {
  if (version !== null) return [['dataset_version', `${version}`]];
  return asOf === null ? [] : [['as_of', asOf]];
}

async function planRows(
  exchange: Pick<KeyedExchange, 'services' | 'caller'>,
  { group, segment }: Dataset,
  asked: AskedRows,
): Promise<PlannedRequest> {
  const parameters = [...asked.filters, ...versionFilters(asked)];
  const filters = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const queryString = [...filters, `columns=${asked.columns.join(',')}`].join('&');
  const input = { group, segment, pathParameters: [], queryString };
  return await planRequest(exchange, parseDataRequest(input, exchange.services.config), BULK);
}

/** Names that stand for one or several, as a filter: only one that is alone is refused outside of a universe. */
function namedBy(column: string, names: readonly string[]): Filters[number] {
  const [only] = names;
  return only !== undefined && names.length === 1
    ? [column, only]
    : [`${column}.in`, names.join(',')];
}

/** Reads rows as the caller may read them now. */
async function* scanNow(
  exchange: KeyedExchange,
  planned: PlannedRequest,
  signal: AbortSignal,
): AsyncIterable<ColumnBatch> {
  countScan(exchange, planned.plan);
  for await (const batch of exchange.services.engine.scan(planned.plan, signal)) {
    yield batch;
    batch.release?.();
  }
}

/** What a refusal means for a dataset that a chain can do without; null: it is one of the request. */
function stateOf(error: unknown, { version }: AskedRows): SourceState | null {
  if (!(error instanceof ApiError)) return null;
  if (error.kind === 'forbidden') return 'forbidden';
  if (error.kind === 'invalid') return 'outside_window';
  return error.kind === 'not found' && version === null ? 'not_published' : null;
}

/** Reads a dataset that the chain can do without. `read` is called where there are rows to read. */
async function readOptional(
  exchange: KeyedExchange,
  textId: string,
  asked: AskedRows,
  read: (plan: QueryPlan, batches: () => AsyncIterable<ColumnBatch>) => Promise<void>,
  signal: AbortSignal,
): Promise<Source> {
  const dataset = exchange.services.catalog.byTextId(textId) ?? null;
  if (!dataset) return { textId, dataset, version: null, state: 'not_offered' };
  const current = await asOfNow(exchange);
  try {
    const planned = await planRows(current, dataset, asked);
    const { plan } = planned;
    await read(plan, () => scanNow(exchange, planned, signal));
    const state = plan.version === null ? 'not_published' : 'read';
    return { textId, dataset, version: plan.version, state };
  } catch (error) {
    const state = stateOf(error, asked);
    if (state === null) throw error;
    return { textId, dataset, version: null, state };
  }
}

/** Throws an ApiError 'not found' where the server does not offer it. */
export function ticksDataset({ services }: Pick<KeyedExchange, 'services'>): Dataset {
  const dataset = services.catalog.byTextId(OPTION_TICKS);
  if (dataset) return dataset;
  throw new ApiError(
    'not found',
    `This server has no dataset ${OPTION_TICKS}, from whose quotes option chains come`,
  );
}

/** The contracts on the underlying. */
export async function readMaster(
  exchange: KeyedExchange,
  { underlying, date, versions }: AskedChain,
  signal: AbortSignal,
): Promise<{ source: Source; listed: readonly ListedContract[] }> {
  const listed: ListedContract[] = [];
  const asked = {
    columns: MASTER_COLUMNS,
    filters: [
      ['UnderTicker', underlying],
      ['Expiration.ge', date],
    ] as const,
    ...{ version: versions.contracts, asOf: versions.asOf },
  };
  const read = async ({ columns }: QueryPlan, batches: () => AsyncIterable<ColumnBatch>) => {
    for await (const batch of batches()) listed.push(...listedContracts(columns, batch));
  };
  const source = await readOptional(exchange, CONTRACT_MASTER, asked, read, signal);
  return { source, listed };
}

/**
 * The roots of the contracts on the underlying that are asked for; where none is known, the usual one. Throws an
 * ApiError 'invalid' for a root of another underlying.
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
  root: Filters[number],
): AskedRows {
  const instant = Temporal.Instant.fromEpochNanoseconds(moment);
  const bound = timeField === 'date' ? 'EventDateTime.lt' : 'EventDateTime.le';
  const filters = [['TradeDate', date], root, [bound, instant.toString()]] as const;
  return { columns: TICK_COLUMNS, filters, version: versions.ticks, asOf: versions.asOf };
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
  exchange: Pick<KeyedExchange, 'services' | 'caller'>,
  asked: AskedChain,
  root: Filters[number] = ['Ticker.in', asked.filter.root ?? usualRoot(asked.underlying)],
): Promise<PlannedRequest> {
  try {
    return await planRows(exchange, ticksDataset(exchange), askedTicks(asked, root));
  } catch (error) {
    throw toldByField(error, asked);
  }
}

/** The quotes, trades and open interest of the contracts. Rejects as `planTicks` does, and for a root that is not the caller's. */
export async function readTicks(
  exchange: KeyedExchange,
  asked: AskedChain,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<{ source: Source; ticks: ChainTicks }> {
  const planned = await planTicks(await asOfNow(exchange), asked, namedBy('Ticker', roots));
  const { dataset, version, columns } = planned.plan;
  const ticks = new ChainTicks(
    columns,
    asked.filter,
    utcOfMarketTime(dataset.timeZone, asked.date, 0),
  );
  for await (const batch of scanNow(exchange, planned, signal)) ticks.take(batch);
  const state = version === null ? 'not_published' : 'read';
  return { source: { textId: OPTION_TICKS, dataset, version, state }, ticks };
}

/** The analytics that were known at the moment. */
export async function readAnalytics(
  exchange: KeyedExchange,
  { date, isAfterClose, versions }: AskedChain,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<{ source: Source; analytics: ChainAnalytics | null }> {
  const dates: Filters = isAfterClose
    ? [['TradeDate', date]]
    : [
        ['TradeDate.lt', date],
        ['period', ANALYTICS_PERIOD],
      ];
  const filters = [...dates, namedBy('Ticker', roots)];
  const { asOf } = versions;
  const asked = { columns: ANALYTICS_COLUMNS, filters, version: versions.analytics, asOf };
  let analytics: ChainAnalytics | null = null;
  const read = async ({ columns }: QueryPlan, batches: () => AsyncIterable<ColumnBatch>) => {
    analytics = new ChainAnalytics(columns);
    for await (const batch of batches()) analytics.take(batch);
  };
  const source = await readOptional(exchange, OPTION_ANALYTICS, asked, read, signal);
  return { source, analytics };
}
