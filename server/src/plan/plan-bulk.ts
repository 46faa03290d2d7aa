/**
 * Plans a request for all of its rows, as files: within the same rules as a request for a page,
 * without a look-back period unless it asks for one, and cut into one plan for each file.
 */
import type { Part } from '../engine/part.ts';
import { type Grant, isMade, type QueryPlan, type Scan } from '../engine/query-plan.ts';
import {
  findInapplicable,
  findUnfitForAdjusting,
  findUnfitForBars,
  refuseParameters,
} from './conditions.ts';
import { bindQuestion, type PlanInput, planQuestion } from './plan-query.ts';
import { firstDay, lastDay } from './prune.ts';

/** Parameters of data requests that choose a page, or an order that files do not have. */
export const INAPPLICABLE_TO_BULK: readonly string[] = [
  ...['sort', 'offset', 'limit', 'numbers', 'count', 'receipt'],
];

/** All rows: one more is read at times, to tell whether there are more. */
export const EVERY_ROW = Number.MAX_SAFE_INTEGER - 1;

/** Rejects as `questionOf` throws. */
export async function planBulk(input: PlanInput): Promise<QueryPlan> {
  const question = bindQuestion(input, input.request.period, (request, dataset) => [
    ...refuseParameters(request, INAPPLICABLE_TO_BULK, 'bulk requests'),
    ...findInapplicable(request, dataset),
    ...findUnfitForBars(request, dataset),
    ...findUnfitForAdjusting(request, dataset),
  ]);
  return await planQuestion({ ...question, offset: 0, limit: EVERY_ROW }, input.snapshot);
}

/**
 * Neighbouring parts of which a file takes some of the rows go into one file up to so many bytes.
 */
const JOINED_BYTES_MAX = 64 * 1024 * 1024;

/** Parts of a plan, from `first` up to, not with, `end`. */
interface PartRun {
  readonly first: number;
  readonly end: number;
}

/** True if a file may begin with the rows of the day. */
export type MayBegin = (day: string) => boolean;

/**
 * A part that is read whole is a file of its own, which stays the same file in later versions and
 * for every account. Of the others, a part may hold few rows that are asked for, and rows that are
 * made are bytes of no part.
 */
function runsOf(plan: QueryPlan, scans: readonly Scan[], mayBegin: MayBegin): PartRun[] {
  const { parts } = plan;
  const runs: PartRun[] = [];
  let joinedBytes = JOINED_BYTES_MAX;
  for (const [index, part] of parts.entries()) {
    const byteCount = scans[index]?.byteCount ?? part.byteCount;
    const isWhole = byteCount === part.byteCount && !isMade(plan);
    const last = runs.at(-1);
    const isJoined = !isWhole && joinedBytes + byteCount <= JOINED_BYTES_MAX;
    if (last && (isJoined || !mayBegin(firstDay(part.key)))) {
      runs[runs.length - 1] = { first: last.first, end: index + 1 };
      joinedBytes += byteCount;
    } else {
      runs.push({ first: index, end: index + 1 });
      joinedBytes = isWhole ? JOINED_BYTES_MAX : byteCount;
    }
  }
  return runs;
}

/**
 * Grants that still restrict these parts. Mostly they have no window, so that a file stays the same
 * for every account and in later versions, which end on another day.
 */
function grantsOver({ dataset, grants }: QueryPlan, parts: readonly Part[]): Grant[] {
  const first = firstDay(parts[0]?.key ?? '');
  const last = lastDay(parts.at(-1)?.key ?? '');
  return grants.flatMap((grant) => {
    const { window } = grant;
    // Every row of a partition of dates has one.
    if (window === null || window.column.name !== dataset.partitioning.column) return [grant];
    if (window.start > last || window.end < first) return [];
    return [window.start <= first && window.end >= last ? { ...grant, window: null } : grant];
  });
}

function planOfRun(plan: QueryPlan, { first, end }: PartRun): QueryPlan {
  const { identifierRows, naturalRows, partScans = [] } = plan;
  const scans = partScans.slice(first, end);
  const parts = plan.parts.slice(first, end);
  return {
    ...plan,
    parts,
    grants: grantsOver(plan, parts),
    partScans: scans,
    scannedRows: scans.reduce((sum, { rowCount }) => sum + rowCount, 0),
    scannedBytes: scans.reduce((sum, { byteCount }) => sum + byteCount, 0),
    ...(identifierRows && { identifierRows: identifierRows.slice(first, end) }),
    ...(naturalRows && { naturalRows: naturalRows.slice(first, end) }),
  };
}

/** A plan of as many parts from `first` on as have no more bytes to scan, and of one at least. */
export function partsFrom(plan: QueryPlan, first: number, bytesMax: number): QueryPlan {
  let byteCount = 0;
  const count = (plan.partScans ?? []).slice(first).findIndex((scan) => {
    byteCount += scan.byteCount;
    return byteCount > bytesMax;
  });
  const end = count < 0 ? plan.parts.length : first + Math.max(1, count);
  return first === 0 && end === plan.parts.length ? plan : planOfRun(plan, { first, end });
}

/**
 * The plans of the files of a request, in natural order: together they find the rows of its plan.
 */
export function filePlansOf(plan: QueryPlan, mayBegin: MayBegin = () => true): QueryPlan[] {
  return runsOf(plan, plan.partScans ?? [], mayBegin).map((run) => planOfRun(plan, run));
}
