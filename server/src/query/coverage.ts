/** Coverage: the rows of each day of a dataset, within the caller's rules. */
import { type FieldValues, optional } from '../admin/field.ts';
import { DATE } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { DayCount } from '../engine/engine.ts';
import { WHOLE_KEY } from '../engine/partition-key.ts';
import { type DateSpan, type QueryPlan, ruledDatasets } from '../engine/query-plan.ts';
import { dayState } from '../lake/dataset-status.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { type Entitlement, resolveEntitlements } from '../plan/entitlement.ts';
import {
  type CountedDays,
  dayCountPlan,
  daysOfPartition,
  hasDays,
  mayKnowScan,
  partitionOfDay,
  type ReadablePartitions,
  readablePartitions,
} from '../plan/partitions.ts';
import { addDays, datesOf, earlierOf, laterOf } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { LastChange } from '../store/publications.ts';
import { today } from '../time/market-time.ts';
import {
  accountOf,
  asOfNow,
  countScan,
  type DataServices,
  inTurn,
  type Reader,
  type ReaderNow,
  readableHint,
} from './reader.ts';
import { COUNTED_ROWS_MAX } from './row-counts.ts';

export const COVERAGE_DAYS_MAX = 366;
const DEFAULT_DAYS = 30;

export const COVERAGE_QUERY = {
  start: optional(DATE, `First day; default: ${DEFAULT_DAYS} days up to the last one`),
  end: optional(DATE, `Last day, at most ${COVERAGE_DAYS_MAX} days in all; default: the newest`),
};

type AskedDays = FieldValues<typeof COVERAGE_QUERY>;

/** The days to tell of: never those that are to come, nor those before the dataset begins. */
function spanOf(asked: AskedDays, snapshot: DatasetSnapshot | null, marketDay: string): DateSpan {
  const { firstDate = null, lastDate = null } = snapshot ?? {};
  const newest = laterOf(lastDate ?? marketDay, marketDay);
  const end = asked.end ?? newest;
  const start = asked.start ?? addDays(end, 1 - DEFAULT_DAYS);
  const place = asked.end === undefined ? 'start' : 'end';
  const refuse = (type: string, msg: string) =>
    new ApiError('invalid', [problemAt(['query', place], type, msg, asked[place])]);
  if (start > end) throw refuse('end_before_start', `'end', ${end}, should not be before 'start'`);
  if (end >= addDays(start, COVERAGE_DAYS_MAX)) {
    throw refuse(
      'range_too_long',
      `'start' and 'end' should span at most ${COVERAGE_DAYS_MAX} days`,
    );
  }
  return {
    start: laterOf(firstDate ?? start, start),
    end: earlierOf(end, newest),
  };
}

/** Counts of a day's rows; null: not counted. */
interface ReadableDay {
  readonly rowCount: number | null;
  readonly identifierCount: number | null;
}

const NO_ROWS: ReadableDay = { rowCount: 0, identifierCount: 0 };

/** The index's row count for a part too large to be counted, if it holds a single day. */
function uncounted({ dataset, parts, grants }: QueryPlan): [string, ReadableDay][] {
  const [part] = parts;
  if (!part) return [];
  const days = daysOfPartition(dataset, part.key);
  if (days === null || days.start !== days.end) return [];
  const isWhole = grants.some(({ window, universe }) => window === null && universe === null);
  return [[days.start, { rowCount: isWhole ? part.rowCount : null, identifierCount: null }]];
}

/**
 * By day; those of too large parts of more than one day are left out. Counts as scanned, kept
 * counts as well.
 */
async function countDays(
  reader: Reader,
  plans: readonly QueryPlan[],
  signal: AbortSignal,
): Promise<Map<string, ReadableDay>> {
  const { engine, dayCounts } = reader.services;
  const days = new Map<string, ReadableDay>();
  for (const plan of plans) {
    if (plan.scannedRows > COUNTED_ROWS_MAX) {
      for (const [date, day] of uncounted(plan)) days.set(date, day);
      continue;
    }
    countScan(reader, plan);
    const counts = await dayCounts.get(plan, () => engine.countByDay(plan, signal));
    for (const { date, ...count } of counts) days.set(date, count satisfies Omit<DayCount, 'date'>);
  }
  return days;
}

/** A dataset at one moment, and the part of it that the caller may read. */
interface Coverage {
  readonly dataset: Dataset;
  readonly snapshot: DatasetSnapshot | null;
  readonly entitlements: readonly Entitlement[];
  /** By key. */
  readonly changes: ReadonlyMap<string, LastChange>;
  /** Keys of the published partitions, and of those among them that are too large to be counted. */
  readonly keys: ReadonlySet<string>;
  readonly largeKeys: ReadonlySet<string>;
  readonly days: ReadonlyMap<string, ReadableDay>;
  /** Days whose rows the last change of their partition took out. */
  readonly withdrawn: ReadonlySet<string>;
  readonly nowMs: number;
}

/** True if anybody has rows of a day, as far as the caller's rows and the partitions tell. */
function hasRows(coverage: Coverage, date: string, { universe }: Entitlement): boolean | null {
  const { dataset, days, keys, largeKeys } = coverage;
  const own = days.get(date);
  if (own && own.rowCount !== 0) return true;
  const key = partitionOfDay(dataset, date);
  if (key === null) return universe === null ? false : null;
  if (!keys.has(key)) return false;
  if (dataset.partitioning.unit === 'day') return true;
  return universe === null && !largeKeys.has(key) ? false : null;
}

function dayView(coverage: Coverage, date: string) {
  const { dataset, snapshot, entitlements, changes, largeKeys, days, withdrawn, nowMs } = coverage;
  // A rule for all identifiers goes before others.
  const holding = entitlements.filter(
    ({ start, end, hasBegun }) => hasBegun && date >= start && date <= end,
  );
  const rule = holding.find(({ universe }) => universe === null) ?? holding[0];
  if (!rule) return [];
  const key = partitionOfDay(dataset, date) ?? WHOLE_KEY;
  const change = changes.get(key);
  const isCounted = !largeKeys.has(key);
  const isKnown = isCounted || days.has(date);
  const { rowCount, identifierCount } = days.get(date) ?? NO_ROWS;
  const day = {
    date,
    hasRows: hasRows(coverage, date, rule),
    isWithdrawn: isCounted && withdrawn.has(date),
  };
  return [
    {
      date,
      state: dayState(dataset, snapshot?.lastDate ?? null, day, nowMs),
      rows: isKnown ? rowCount : null,
      identifiers: isKnown ? identifierCount : null,
      version: change?.version ?? null,
    },
  ];
}

function requireDays(dataset: Dataset): void {
  if (hasDays(dataset)) return;
  throw new ApiError('invalid', [
    problemAt(
      ['path', 'dataset_id'],
      'no_coverage',
      'Coverage does not apply to this dataset: it is no series of days',
      dataset.datasetId,
    ),
  ]);
}

/** The days that a withdrawal took out of a partition, by the rows of the version before it. */
async function withdrawnDays(
  reader: Reader,
  asked: CountedDays,
  { key, version }: LastChange,
  signal: AbortSignal,
): Promise<string[]> {
  const { dataset } = asked;
  const days = daysOfPartition(dataset, key);
  if (days?.start === days?.end) return days ? [days.start] : [];
  const before = await reader.services.lake.snapshotAt(dataset.datasetId, version - 1);
  const parts = typeof before === 'string' ? [] : before.parts.filter((part) => part.key === key);
  const plans = parts.flatMap((part) => dayCountPlan(part, asked) ?? []);
  return [...(await countDays(reader, plans, signal)).keys()];
}

/** The rules are those of the turn: the caller may have waited for it. */
async function readCoverage(
  reader: Reader,
  dataset: Dataset,
  asked: AskedDays,
  signal: AbortSignal,
) {
  const { services, tally } = reader;
  const { lake, clock } = services;
  const { datasetId } = dataset;
  const rules = requireOwnRules(await asOfNow(reader), dataset);
  const snapshot = await lake.snapshot(datasetId);
  const nowMs = clock.now();
  const now = today(dataset.timeZone, nowMs);
  const entitlements = resolveEntitlements(dataset, rules, snapshot, now);
  const span = spanOf(asked, snapshot, now.market);
  const version = snapshot?.version ?? 0;
  tally.datasetId = datasetId;
  tally.datasetVersion = version;
  const parts = snapshot?.parts ?? [];
  const keys = {
    first: partitionOfDay(dataset, span.start) ?? '',
    last: partitionOfDay(dataset, span.end) ?? '~',
  };
  const changes = await lake.ledger.lastChanges(datasetId, version, keys);
  const counted = { dataset, version, span, entitlements };
  const plans = parts.flatMap((part) => dayCountPlan(part, counted) ?? []);
  const withdrawn: string[] = [];
  for (const change of changes.filter(({ kind }) => kind === 'withdrawal')) {
    withdrawn.push(...(await withdrawnDays(reader, counted, change, signal)));
  }
  const large = parts.filter(({ rowCount }) => rowCount > COUNTED_ROWS_MAX);
  const coverage: Coverage = {
    ...{ dataset, snapshot, entitlements, nowMs },
    changes: new Map(changes.map((change) => [change.key, change])),
    keys: new Set(parts.map(({ key }) => key)),
    largeKeys: new Set(large.map(({ key }) => key)),
    withdrawn: new Set(withdrawn),
    days: await countDays(reader, plans, signal),
  };
  return {
    dataset_id: datasetId,
    version,
    first_trade_date: snapshot?.firstDate ?? null,
    last_trade_date: snapshot?.lastDate ?? null,
    days: datesOf(span).flatMap((date) => dayView(coverage, date)),
  };
}

/** Waits for the account's turn, as a page of rows does. */
export async function showCoverage(reader: Reader, dataset: Dataset, asked: AskedDays) {
  const { accountId } = accountOf(reader);
  requireDays(dataset);
  return await inTurn(reader, accountId, (signal) => readCoverage(reader, dataset, asked, signal));
}

/** The rules by which the caller's account reads a dataset; an ApiError 'forbidden' without any. */
export function requireOwnRules(
  { services, caller }: ReaderNow,
  { datasetId }: Dataset,
): readonly AccessRule[] {
  const { account } = caller;
  const { replica } = services.store;
  const rules = account ? replica.rulesOfDataset(account.accountId, datasetId) : [];
  if (rules.length > 0) return rules;
  const hint = readableHint(account ? replica.rulesOf(account.accountId) : []);
  const detail = `This identity does not have access to dataset ${datasetId}`;
  throw new ApiError('forbidden', detail, hint);
}

export async function readableBy(
  { lake, clock }: DataServices,
  dataset: Dataset,
  rules: readonly AccessRule[],
): Promise<ReadablePartitions> {
  const day = today(dataset.timeZone, clock.now()).market;
  const { lastDate = null } = (await lake.snapshot(dataset.datasetId)) ?? {};
  return readablePartitions(dataset, rules, lastDate !== null && lastDate > day ? lastDate : day);
}

/** The rows of a dataset; null if the account may not read all of them, or none is published. */
export async function rowsCountedFor(
  services: DataServices,
  dataset: Dataset,
  rules: readonly AccessRule[],
): Promise<number | null> {
  const snapshot = await services.lake.snapshot(dataset.datasetId);
  if (!snapshot) return null;
  const { holdsAll } = await readableBy(services, dataset, rules);
  return holdsAll(snapshot.firstDate, snapshot.lastDate) ? snapshot.rowCount : null;
}

/** See `mayKnowScan`. */
export async function mayCountScan(
  services: DataServices,
  plan: QueryPlan,
  rules: readonly AccessRule[],
): Promise<boolean> {
  const [read = plan.dataset] = ruledDatasets(plan);
  const ofRead = rules.filter(({ datasetId }) => datasetId === read.datasetId);
  const snapshot = await services.lake.snapshot(read.datasetId);
  if (!snapshot) return true;
  const { predicates } = plan.bars?.sessions?.rows ?? plan;
  return mayKnowScan(read, predicates, snapshot, await readableBy(services, read, ofRead));
}
