/** The second stage of a data request: with the dataset known, nothing is left to decide. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { ApiError, type Problem } from '../errors.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';
import type { DataRequest } from '../request/data-request.ts';
import { type Period, parsePeriod } from '../request/period.ts';
import {
  bindConditions,
  type Condition,
  findMissingFilter,
  findUnknownColumns,
} from './bind-conditions.ts';
import {
  closeByPeriod,
  confine,
  type DateRange,
  findDateRange,
  findSpanProblem,
} from './date-range.ts';
import {
  type PlanAccess,
  requireDatesInside,
  requireIdentifiersInside,
} from './entitlement-checks.ts';
import { type PruneConditions, prune } from './prune.ts';
import type { QueryPlan, Universe } from './query-plan.ts';

export interface PlanInput {
  readonly request: DataRequest;
  readonly dataset: Dataset;
  /** Null when nothing is published. */
  readonly snapshot: DatasetSnapshot | null;
  readonly access: PlanAccess;
  /** The market's date, `YYYY-MM-DD`. */
  readonly today: string;
}

function columnsOf(dataset: Dataset, names: readonly string[]): Column[] {
  return names.map((name) => dataset.columnByName.get(name)).filter((column) => !!column);
}

/** The look-back period that holds for the request, or null where the dataset has none. */
function periodOf(request: DataRequest, dataset: Dataset): Period | null {
  if (dataset.periodDefault === null) return null;
  const period = request.period ?? parsePeriod(dataset.periodDefault);
  if (!period) throw new Error(`dataset ${dataset.datasetId} has a malformed default period`);
  return period;
}

function universeOf(dataset: Dataset, access: PlanAccess): Universe | null {
  if (access.universe.length === 0) return null;
  return { columns: columnsOf(dataset, dataset.universeColumns), identifiers: access.universe };
}

function confineConditions(
  input: PlanInput,
  conditions: readonly Condition[],
  asked: DateRange,
  period: Period | null,
): PruneConditions {
  const { dataset, access, snapshot, today } = input;
  const predicates = conditions.map((condition) => condition.predicate);
  const universe = universeOf(dataset, access);
  const [column] = dataset.dateColumn === null ? [] : columnsOf(dataset, [dataset.dateColumn]);
  if (!column) return { predicates, universe, window: null };
  const closed = period ? closeByPeriod(asked, period, snapshot?.lastDate ?? today) : asked;
  const confined = confine(column, asked, closed, access);
  return {
    predicates: [...predicates, ...confined.predicates],
    universe,
    window: confined.window,
  };
}

/**
 * Plans a request against one snapshot of its dataset. Throws an ApiError: 403 for an identifier
 * outside the account's universe, then 422 for dates outside its window, then 422 with everything
 * else that does not fit the dataset.
 */
export function planQuery(input: PlanInput): QueryPlan {
  const { request, dataset, snapshot, access } = input;
  const { conditions, problems } = bindConditions(request, dataset);
  requireIdentifiersInside(dataset, conditions, access);
  requireDatesInside(dataset, conditions, access);
  const asked = findDateRange(dataset, conditions);
  const period = periodOf(request, dataset);
  const all: (Problem | null)[] = [
    ...problems,
    findUnknownColumns(request, dataset),
    findMissingFilter(request, dataset),
    period && findSpanProblem(dataset, asked, period),
  ];
  const found = all.filter((problem) => problem !== null);
  if (found.length > 0) throw new ApiError(422, found);

  const kept = confineConditions(input, conditions, asked, period);
  const pruned = snapshot ? prune(dataset, snapshot, kept) : { partitions: [], scannedBytes: 0 };
  return {
    dataset,
    version: snapshot?.version ?? null,
    ...pruned,
    ...kept,
    columns: request.columns ? columnsOf(dataset, request.columns) : dataset.columns,
    sort: request.sort.flatMap(({ column, descending }) =>
      columnsOf(dataset, [column]).map((found) => ({ column: found, descending })),
    ),
    offset: request.offset,
    limit: request.limit,
  };
}
