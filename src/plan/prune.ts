/**
 * What of a snapshot can hold matching rows, judged by the index alone. A partition or row group
 * that holds a matching row is never left out; which ones stay depends on nothing but the snapshot
 * and the conditions, so the same request always scans the same number of bytes.
 */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { BoundValue, ColumnBounds, RowGroup } from '../engine/engine.ts';
import type { DatasetSnapshot, Partition } from '../lake/snapshot.ts';
import { parseInteger } from '../request/literals.ts';
import { compareBounds } from './bound-order.ts';
import type { DateWindow, Predicate, Universe } from './query-plan.ts';

export interface PrunedPartitions {
  readonly partitions: readonly Partition[];
  /** Stored bytes of the row groups that remain. */
  readonly scannedBytes: number;
}

export interface PruneConditions {
  readonly predicates: readonly Predicate[];
  readonly universe: Universe | null;
  readonly window: DateWindow | null;
}

/** Whether values from `min` to `max` may include a match. */
type RangeTest = (min: BoundValue, max: BoundValue) => boolean;
type GroupTest = (group: RowGroup) => boolean;
type KeyTest = (key: string) => boolean;

/** Whether one of the values lies between the bounds, by bisection. */
function anyOf(values: readonly BoundValue[]): RangeTest {
  const sorted = [...values].sort(compareBounds);
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

/** Null for patterns, which the bounds say nothing about. */
function rangeTest(predicate: Predicate): RangeTest | null {
  if ('pattern' in predicate) return null;
  if ('values' in predicate) return anyOf(predicate.values);
  const { value } = predicate;
  const tests: Record<typeof predicate.operator, RangeTest> = {
    eq: (min, max) => compareBounds(min, value) <= 0 && compareBounds(max, value) >= 0,
    gt: (_, max) => compareBounds(max, value) > 0,
    ge: (_, max) => compareBounds(max, value) >= 0,
    lt: (min) => compareBounds(min, value) < 0,
    le: (min) => compareBounds(min, value) <= 0,
  };
  return tests[predicate.operator];
}

/** A column without bounds may hold anything; one whose values are all null matches nothing. */
function mayMatch(bounds: ColumnBounds | undefined, test: RangeTest): boolean {
  if (!bounds) return true;
  return bounds.min !== null && bounds.max !== null && test(bounds.min, bounds.max);
}

function identifiersOf(column: Column, identifiers: readonly string[]): BoundValue[] {
  if (column.dataType !== 'integer') return [...identifiers];
  return identifiers.map(parseInteger).filter((value) => value !== null);
}

function universeTest({ columns, identifiers }: Universe): GroupTest {
  const tests = columns.map((column) => ({
    name: column.name,
    test: anyOf(identifiersOf(column, identifiers)),
  }));
  return (group) => tests.some(({ name, test }) => mayMatch(group.bounds[name], test));
}

function groupTests({ predicates, universe }: PruneConditions): GroupTest[] {
  const tests = predicates.flatMap((predicate): GroupTest[] => {
    const test = rangeTest(predicate);
    const { name } = predicate.column;
    return test ? [(group) => mayMatch(group.bounds[name], test)] : [];
  });
  return universe ? [...tests, universeTest(universe)] : tests;
}

/** Of a partition's key: `2026`, `2026-11` or `2026-11-18`. */
function firstDay(key: string): string {
  return key + '0000-01-01'.slice(key.length);
}

/** No earlier than the last day: in a short month a day that it does not have. */
function lastDay(key: string): string {
  return key + '9999-12-31'.slice(key.length);
}

/**
 * Tests of partition keys by the conditions on the partitioning column. The bounds of row groups do
 * not count rows without a date, which a window lets pass; every row of a partition of dates has one.
 */
function keyTests(dataset: Dataset, { predicates, window }: PruneConditions): KeyTest[] {
  const { column } = dataset.partitioning;
  const tests = predicates
    .filter((predicate) => predicate.column.name === column)
    .map(rangeTest)
    .filter((test) => test !== null);
  if (window && window.column.name === column)
    tests.push((min, max) => String(max) >= window.start && String(min) <= window.end);
  return tests.map((test) => (key) => test(firstDay(key), lastDay(key)));
}

export function prune(
  dataset: Dataset,
  snapshot: DatasetSnapshot,
  conditions: PruneConditions,
): PrunedPartitions {
  const ofKey = keyTests(dataset, conditions);
  const ofGroup = groupTests(conditions);
  let scannedBytes = 0;
  const partitions = snapshot.partitions.filter((partition) => {
    if (!ofKey.every((test) => test(partition.key))) return false;
    let isKept = false;
    for (const group of partition.rowGroups) {
      if (!ofGroup.every((test) => test(group))) continue;
      scannedBytes += group.byteCount;
      isKept = true;
    }
    return isKept;
  });
  return { partitions, scannedBytes };
}
