/**
 * Finds the parts of a snapshot that can hold matching rows, from the index alone. A part or a row
 * group with a matching row is never left out. The result depends only on the snapshot and the
 * conditions, so the same request always scans the same number of bytes.
 */
import type { Dataset } from '../catalog/dataset.ts';
import type { CellValue } from '../engine/columns.ts';
import { type Bounds, type End, OPERATORS } from '../engine/operators.ts';
import type { BoundValue, ColumnBounds, Part, RowGroup, RowRange } from '../engine/part.ts';
import type { Grant, IdentifierList, Predicate, QueryPlan, Scan } from '../engine/query-plan.ts';
import { boundsRead, readingsOf } from '../engine/stored-columns.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { isNaming, valuesOf } from './conditions.ts';

export interface PrunedParts {
  readonly parts: readonly Part[];
  /** The rows of the identifier orders that are read; undefined: the natural order is read. */
  readonly identifierRows?: readonly (readonly RowRange[])[];
  /** The rows of each part that may match, where the natural order is read. */
  readonly naturalRows?: readonly (readonly RowRange[])[];
  /** Rows and stored bytes of the row groups that remain. */
  readonly scannedRows: number;
  readonly scannedBytes: number;
  /** A scan for each part. */
  readonly partScans?: readonly Scan[];
}

export interface PruneConditions {
  readonly predicates: readonly Predicate[];
  readonly grants: readonly Grant[];
}

/** How many of some values match; `some` also where nothing is known. */
export type Verdict = 'all' | 'some' | 'none';
/** Judges values from `min` to `max`, of which both occur. */
type RangeVerdict = (min: BoundValue, max: BoundValue) => Verdict;
type GroupTest = (bounds: RowGroup['bounds']) => boolean;
type KeyTest = (key: string) => boolean;

/** Parts whose row groups are in memory together: a day of ticks has hundreds of them. */
const FETCHED_AT_ONCE = 16;

/** Finds by bisection if one of the sorted values lies between the bounds. */
function anyOf(sorted: readonly BoundValue[]): RangeVerdict {
  return (min, max) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareBounds(sorted[middle] as BoundValue, min) < 0) low = middle + 1;
      else high = middle;
    }
    if (low === sorted.length || compareBounds(sorted[low] as BoundValue, max) > 0) return 'none';
    return compareBounds(min, max) === 0 ? 'all' : 'some';
  };
}

/** True if a value that is so far above an end passes it. */
const passes = (end: End, distance: number) =>
  end === null || distance > 0 || (distance === 0 && end === 'included');

/** Values that match lie between the operator's bounds. */
export function between(
  { lower, upper }: Bounds,
  least: BoundValue,
  greatest: BoundValue,
): RangeVerdict {
  const isAbove = (value: BoundValue) => passes(lower, compareBounds(value, least));
  const isBelow = (value: BoundValue) => passes(upper, compareBounds(greatest, value));
  return (min, max) => {
    if (!isAbove(max) || !isBelow(min)) return 'none';
    return isAbove(min) && isBelow(max) ? 'all' : 'some';
  };
}

/** Null where bounds say nothing about the operator. */
export function rangeVerdict(predicate: Predicate): RangeVerdict | null {
  const { bounds, isNaming } = OPERATORS[predicate.operator];
  if (bounds === null) return null;
  const values = valuesOf(predicate).toSorted(compareBounds);
  if (isNaming && values.length !== 1) return anyOf(values);
  return between(bounds, values[0] as BoundValue, values.at(-1) as BoundValue);
}

/** A column without bounds may hold anything; one whose values are all null matches nothing. */
function mayMatch(bounds: ColumnBounds | undefined, verdict: RangeVerdict): boolean {
  if (!bounds) return true;
  const { min, max } = bounds;
  return min !== null && max !== null && verdict(min, max) !== 'none';
}

function groupTest(predicate: Predicate): GroupTest {
  const verdict = rangeVerdict(predicate);
  const { name } = predicate.column;
  return (bounds) => verdict === null || mayMatch(bounds[name], verdict);
}

/** The first day of a partition's key: `2026`, `2026-11` or `2026-11-18`. */
export function firstDay(key: string): string {
  return key + '0000-01-01'.slice(key.length);
}

/** The last day or later: in a short month, a day that the month does not have. */
export function lastDay(key: string): string {
  return key + '9999-12-31'.slice(key.length);
}

function keyTest(predicate: Predicate): KeyTest {
  const verdict = rangeVerdict(predicate);
  return (key) => verdict?.(firstDay(key), lastDay(key)) !== 'none';
}

/** The predicates that rows of the plan's parts may fail: not those that all partitions meet. */
export function undecidedPredicates(plan: QueryPlan): readonly Predicate[] {
  const { dataset, parts, comparedParts, predicates } = plan;
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last || comparedParts) return predicates;
  return predicates.filter((predicate) => {
    if (predicate.column.name !== dataset.partitioning.column) return true;
    return rangeVerdict(predicate)?.(firstDay(first.key), lastDay(last.key)) !== 'all';
  });
}

/** The identifiers of a list that pass the predicates; an array's other elements may meet those. */
function passing(list: IdentifierList, predicates: readonly Predicate[]): IdentifierList {
  if (list.column.dataType.startsWith('array')) return list;
  const verdicts = predicates
    .filter(({ column }) => column.name === list.column.name)
    .flatMap((predicate) => rangeVerdict(predicate) ?? []);
  const passes = (id: BoundValue) => verdicts.every((verdict) => verdict(id, id) !== 'none');
  return { ...list, values: list.values.filter(passes) };
}

/**
 * A window is asked of partition keys only: the bounds of row groups do not count rows without a
 * date, which it lets pass, but every row of a partition of dates has one.
 */
function grantTests(
  dataset: Dataset,
  { window, universe }: Grant,
  predicates: readonly Predicate[],
): { readonly ofKey: KeyTest; readonly ofGroup: GroupTest } {
  const isOfKey = window !== null && window.column.name === dataset.partitioning.column;
  const identifierTests = universe?.map((list) => groupTest(passing(list, predicates)));
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
  /** True if a part of this partition may hold rows; decided without its row groups. */
  mayHold(key: string): boolean;
  /** The row groups that may hold rows. */
  keep(part: Part, rowGroups: readonly RowGroup[]): readonly RowGroup[];
}

/**
 * The predicates whose bounds leave row groups out. What is scanned would tell an account of some
 * identifiers which values the others have, so only dates, identifiers and sort keys count for it.
 */
function predicatesOfBounds(dataset: Dataset, { predicates, grants }: PruneConditions) {
  if (grants.some(({ universe }) => universe === null)) return predicates;
  const { naturalOrder, identifierColumns, universeColumns, dateColumn } = dataset;
  const names = new Set([...naturalOrder, ...identifierColumns, ...universeColumns, dateColumn]);
  return predicates.filter(({ column }) => names.has(column.name));
}

function pruningBy(dataset: Dataset, { predicates, grants }: PruneConditions): Pruning {
  const groupTests = predicatesOfBounds(dataset, { predicates, grants }).map(groupTest);
  const keyTests = predicates
    .filter(({ column }) => column.name === dataset.partitioning.column)
    .map(keyTest);
  const allGrants = grants.map((grant) => grantTests(dataset, grant, predicates));
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

type Fetch = (parts: readonly Part[]) => Promise<readonly (readonly RowGroup[] | null)[]>;

interface KeptParts extends PrunedParts {
  /** For each part, the rows of its remaining row groups. */
  readonly rows: readonly (readonly RowRange[])[];
  readonly partScans: readonly Scan[];
}

function sumOf(scans: readonly Scan[]): Scan {
  let rowCount = 0;
  let byteCount = 0;
  for (const scan of scans) {
    rowCount += scan.rowCount;
    byteCount += scan.byteCount;
  }
  return { rowCount, byteCount };
}

/** The rows of the row groups that are kept; neighbours are one range. */
function rangesOf(rowGroups: readonly RowGroup[], kept: ReadonlySet<RowGroup>): RowRange[] {
  const ranges: RowRange[] = [];
  let start = 0;
  for (const group of rowGroups) {
    const end = start + group.rowCount;
    const last = ranges.at(-1);
    if (kept.has(group)) {
      if (last?.end === start) ranges[ranges.length - 1] = { start: last.start, end };
      else ranges.push({ start, end });
    }
    start = end;
  }
  return ranges;
}

/**
 * Prunes parts by their row groups, which are fetched a few parts at a time: there may be millions.
 * Null where one of the parts has none.
 */
async function pruneParts(
  parts: readonly Part[],
  { keep }: Pruning,
  fetch: Fetch,
): Promise<KeptParts | null> {
  const found: Part[] = [];
  const rows: RowRange[][] = [];
  const partScans: Scan[] = [];
  for (let first = 0; first < parts.length; first += FETCHED_AT_ONCE) {
    const fetched = parts.slice(first, first + FETCHED_AT_ONCE);
    const rowGroups = await fetch(fetched);
    for (const [index, part] of fetched.entries()) {
      const groups = rowGroups[index] ?? null;
      if (groups === null) return null;
      const kept = keep(part, groups);
      if (kept.length === 0) continue;
      found.push(part);
      rows.push(rangesOf(groups, new Set(kept)));
      partScans.push(sumOf(kept));
    }
  }
  const { rowCount: scannedRows, byteCount: scannedBytes } = sumOf(partScans);
  return { parts: found, scannedRows, scannedBytes, rows, partScans };
}

/**
 * The identifier order has its rows to be sorted, which the natural order has not: it is read where
 * that saves most of the bytes, and where few rows are to be sorted.
 */
const IDENTIFIER_BYTES_PART = 1 / 4;
const IDENTIFIER_ROWS_MAX = 1_000_000;

/**
 * True if conditions name values of an identifier: only then can the identifier order save work.
 */
function namesIdentifier(dataset: Dataset, { predicates, grants }: PruneConditions): boolean {
  if (dataset.alsoStoredBy === null) return false;
  const identifiers = new Set([...dataset.identifierColumns, ...dataset.universeColumns]);
  const isNamed = predicates.some((each) => isNaming(each) && identifiers.has(each.column.name));
  return isNamed || (grants.length > 0 && grants.every(({ universe }) => universe !== null));
}

function planned({ parts, scannedRows, scannedBytes, partScans }: KeptParts): PrunedParts {
  return { parts, scannedRows, scannedBytes, partScans };
}

/**
 * Prunes a snapshot: first by keys, then by the row groups of the parts that are left, which
 * the snapshot may have to fetch. Where identifiers are named, the rows may be read by them.
 */
export async function prune(
  dataset: Dataset,
  snapshot: DatasetSnapshot,
  conditions: PruneConditions,
): Promise<PrunedParts> {
  const pruning = pruningBy(dataset, conditions);
  const candidates = snapshot.parts.filter(({ key }) => pruning.mayHold(key));
  const natural = await pruneParts(candidates, pruning, (parts) => snapshot.rowGroups(parts));
  if (natural === null) throw new Error(`row groups of ${dataset.datasetId} are missing`);
  // Parts of an earlier definition have to be converted, which is done in natural order alone.
  const isAsDefined = natural.parts.every((part) => readingsOf(part, dataset).length === 0);
  const inOrder = { ...planned(natural), naturalRows: natural.rows };
  if (!isAsDefined || !namesIdentifier(dataset, conditions)) return inOrder;
  const fetch: Fetch = (parts) => snapshot.identifierOrders(parts);
  const ordered = await pruneParts(natural.parts, pruning, fetch);
  const isWorthIt =
    ordered !== null &&
    ordered.scannedRows <= IDENTIFIER_ROWS_MAX &&
    ordered.scannedBytes <= natural.scannedBytes * IDENTIFIER_BYTES_PART;
  return isWorthIt ? { ...planned(ordered), identifierRows: ordered.rows } : inOrder;
}

/** Surrogates stand for the characters after U+FFFF, so they sort after all other units. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

/**
 * Negative, zero or positive as `a` is less than, equal to or greater than `b` of the same type.
 * Text is in the order of its UTF-8 bytes, which is not that of JavaScript's `<`.
 */
export function compareBounds(a: BoundValue, b: BoundValue): number {
  if (typeof a === 'string') return compareText(a, b as string);
  if (a === b) return 0;
  return a < (b as typeof a) ? -1 : 1;
}

type Items = readonly BoundValue[];

function compareItems(a: Items, b: Items): number {
  const count = Math.min(a.length, b.length);
  for (let i = 0; i < count; i++) {
    const order = compareBounds(a[i] as BoundValue, b[i] as BoundValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Nulls come last, whatever the direction. */
export function compareCells(a: CellValue, b: CellValue, isDescending = false): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = Array.isArray(a)
    ? compareItems(a as Items, b as Items)
    : compareBounds(a as BoundValue, b as BoundValue);
  return isDescending ? -order : order;
}
