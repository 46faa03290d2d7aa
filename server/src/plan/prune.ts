/**
 * Finds the parts of a snapshot that can hold matching rows, from the index alone. A part or a row
 * group with a matching row is never left out. The result depends only on the snapshot and the
 * conditions, so the same request always scans the same number of bytes.
 */
import type { Dataset } from '../catalog/dataset.ts';
import { type Bounds, OPERATORS } from '../engine/operators.ts';
import type { BoundValue, ColumnBounds, Part, RowGroup } from '../engine/part.ts';
import type { Grant, Predicate } from '../engine/query-plan.ts';
import { boundsRead, readingsOf } from '../engine/stored-columns.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';
import { compareBounds } from './bound-order.ts';
import { valuesOf } from './predicate.ts';

export interface PrunedParts {
  readonly parts: readonly Part[];
  /** Rows and stored bytes of the row groups that remain. */
  readonly scannedRows: number;
  readonly scannedBytes: number;
}

export interface PruneConditions {
  readonly predicates: readonly Predicate[];
  readonly grants: readonly Grant[];
}

/** Whether values from `min` to `max` may include a match. */
type RangeTest = (min: BoundValue, max: BoundValue) => boolean;
type GroupTest = (bounds: RowGroup['bounds']) => boolean;
type KeyTest = (key: string) => boolean;

/** Parts whose row groups are in memory together: a day of ticks has hundreds of them. */
const FETCHED_AT_ONCE = 16;

/** Whether one of the sorted values lies between the bounds, by bisection. */
function anyOf(sorted: readonly BoundValue[]): RangeTest {
  return (min, max) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareBounds(sorted[middle] as BoundValue, min) < 0) low = middle + 1;
      else high = middle;
    }
    return low < sorted.length && compareBounds(sorted[low] as BoundValue, max) <= 0;
  };
}

/** Whether values between the operator's bounds may lie there. */
function between({ lower, upper }: Bounds, least: BoundValue, greatest: BoundValue): RangeTest {
  const isAbove = (max: BoundValue) =>
    lower === 'included' ? compareBounds(max, least) >= 0 : compareBounds(max, least) > 0;
  const isBelow = (min: BoundValue) =>
    upper === 'included' ? compareBounds(min, greatest) <= 0 : compareBounds(min, greatest) < 0;
  return (min, max) => (lower === null || isAbove(max)) && (upper === null || isBelow(min));
}

/** Null where bounds say nothing about the operator. */
function rangeTest(predicate: Predicate): RangeTest | null {
  const { bounds, isNaming } = OPERATORS[predicate.operator];
  if (bounds === null) return null;
  const values = valuesOf(predicate).toSorted(compareBounds);
  if (isNaming && values.length !== 1) return anyOf(values);
  return between(bounds, values[0] as BoundValue, values.at(-1) as BoundValue);
}

/** A column without bounds may hold anything; one whose values are all null matches nothing. */
function mayMatch(bounds: ColumnBounds | undefined, test: RangeTest): boolean {
  if (!bounds) return true;
  return bounds.min !== null && bounds.max !== null && test(bounds.min, bounds.max);
}

function groupTest(predicate: Predicate): GroupTest {
  const test = rangeTest(predicate);
  const { name } = predicate.column;
  return (bounds) => test === null || mayMatch(bounds[name], test);
}

/** The first day of a partition's key: `2026`, `2026-11` or `2026-11-18`. */
function firstDay(key: string): string {
  return key + '0000-01-01'.slice(key.length);
}

/** The last day or later: in a short month, a day that the month does not have. */
function lastDay(key: string): string {
  return key + '9999-12-31'.slice(key.length);
}

function keyTest(predicate: Predicate): KeyTest {
  const test = rangeTest(predicate);
  return (key) => test === null || test(firstDay(key), lastDay(key));
}

interface GrantTests {
  readonly ofKey: KeyTest;
  readonly ofGroup: GroupTest;
}

/**
 * A window is asked of partition keys only: the bounds of row groups do not count rows without a
 * date, which it lets pass, but every row of a partition of dates has one.
 */
function grantTests(dataset: Dataset, { window, universe }: Grant): GrantTests {
  const isOfKey = window !== null && window.column.name === dataset.partitioning.column;
  const identifierTests = universe?.map(groupTest);
  return {
    ofKey: (key) => !isOfKey || (lastDay(key) >= window.start && firstDay(key) <= window.end),
    ofGroup: (bounds) => !identifierTests || identifierTests.some((test) => test(bounds)),
  };
}

export const NOTHING_PUBLISHED: PrunedParts = {
  parts: [],
  scannedRows: 0,
  scannedBytes: 0,
};

/** The conditions of one request, as tests of a part and of its row groups. Pure. */
interface Pruning {
  /** Whether a part of this partition may hold rows, which its row groups are not needed for. */
  mayHold(key: string): boolean;
  /** The row groups that may hold rows. */
  keep(part: Part, rowGroups: readonly RowGroup[]): readonly RowGroup[];
}

function pruningBy(dataset: Dataset, { predicates, grants }: PruneConditions): Pruning {
  const groupTests = predicates.map(groupTest);
  const keyTests = predicates
    .filter(({ column }) => column.name === dataset.partitioning.column)
    .map(keyTest);
  const allGrants = grants.map((grant) => grantTests(dataset, grant));
  return {
    mayHold: (key) =>
      keyTests.every((test) => test(key)) && allGrants.some(({ ofKey }) => ofKey(key)),
    keep: (part, rowGroups) => {
      const open = allGrants.filter(({ ofKey }) => ofKey(part.key));
      const readings = readingsOf(part, dataset);
      return rowGroups.filter((stored) => {
        const bounds = boundsRead(stored.bounds, readings);
        return (
          groupTests.every((test) => test(bounds)) && open.some(({ ofGroup }) => ofGroup(bounds))
        );
      });
    },
  };
}

/**
 * Prunes a snapshot: first by keys, then by the row groups of the parts that are left, which
 * the snapshot may have to fetch. They are fetched a few at a time: there may be millions.
 */
export async function prune(
  dataset: Dataset,
  snapshot: DatasetSnapshot,
  conditions: PruneConditions,
): Promise<PrunedParts> {
  const { mayHold, keep } = pruningBy(dataset, conditions);
  const candidates = snapshot.parts.filter(({ key }) => mayHold(key));
  const parts: Part[] = [];
  let scannedRows = 0;
  let scannedBytes = 0;
  for (let first = 0; first < candidates.length; first += FETCHED_AT_ONCE) {
    const fetched = candidates.slice(first, first + FETCHED_AT_ONCE);
    const rowGroups = await snapshot.rowGroups(fetched);
    for (const [index, part] of fetched.entries()) {
      const kept = keep(part, rowGroups[index] ?? []);
      if (kept.length > 0) parts.push(part);
      for (const { rowCount, byteCount } of kept) {
        scannedRows += rowCount;
        scannedBytes += byteCount;
      }
    }
  }
  return { parts, scannedRows, scannedBytes };
}
