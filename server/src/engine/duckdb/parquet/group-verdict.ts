/** How many rows of a row group pass the conditions of a plan, as far as bounds tell. Pure. */
import type { Column } from '../../../catalog/dataset.ts';
import { isNaming, valuesOf } from '../../../plan/conditions.ts';
import { compareBounds } from '../../../plan/prune.ts';
import { type Bounds, type End, OPERATORS } from '../../operators.ts';
import type { BoundValue } from '../../part.ts';
import type { DateWindow, Grant, Predicate, QueryPlan } from '../../query-plan.ts';
import type { ChunkBounds } from './lake-footer.ts';

/** `some` also where nothing is known. */
export type Verdict = 'all' | 'some' | 'none';

/** The bounds of a column in the group; null: they are not known. */
type BoundsOfColumn = (column: Column) => ChunkBounds | null;

/** All conditions have to hold. */
function allOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('none')) return 'none';
  return verdicts.every((verdict) => verdict === 'all') ? 'all' : 'some';
}

/** One of them has to. */
function anyOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('all')) return 'all';
  return verdicts.every((verdict) => verdict === 'none') ? 'none' : 'some';
}

/** A null passes no condition. */
const unlessNull = (verdict: Verdict, hasNulls: boolean): Verdict =>
  verdict === 'all' && hasNulls ? 'some' : verdict;

function namedVerdict(values: readonly BoundValue[], min: BoundValue, max: BoundValue): Verdict {
  const isInside = (value: BoundValue) =>
    compareBounds(min, value) <= 0 && compareBounds(value, max) <= 0;
  if (!values.some(isInside)) return 'none';
  return compareBounds(min, max) === 0 ? 'all' : 'some';
}

/** True if the value passes an end at `limit`: a lower end by `sign` 1, an upper one by -1. */
function passes(value: BoundValue, limit: BoundValue, end: End, sign: 1 | -1): boolean {
  const order = sign * compareBounds(value, limit);
  return end === null || order > 0 || (order === 0 && end === 'included');
}

function orderedVerdict(
  limit: BoundValue,
  { lower, upper }: Bounds,
  min: BoundValue,
  max: BoundValue,
): Verdict {
  const isPassed = (value: BoundValue) =>
    passes(value, limit, lower, 1) && passes(value, limit, upper, -1);
  if (isPassed(min) && isPassed(max)) return 'all';
  return isPassed(min) || isPassed(max) ? 'some' : 'none';
}

function predicateVerdict(predicate: Predicate, boundsOf: BoundsOfColumn): Verdict {
  const { bounds: ends } = OPERATORS[predicate.operator];
  const bounds = ends && boundsOf(predicate.column);
  if (!ends || !bounds || bounds.min === null || bounds.max === null) return 'some';
  const { min, max } = bounds;
  const values = valuesOf(predicate);
  const verdict = isNaming(predicate)
    ? namedVerdict(values, min, max)
    : orderedVerdict(values[0] as BoundValue, ends, min, max);
  return unlessNull(verdict, bounds.hasNulls);
}

function windowVerdict(
  { column, start, end, passesUndated }: DateWindow,
  boundsOf: BoundsOfColumn,
): Verdict {
  const bounds = boundsOf(column);
  if (!bounds || bounds.min === null || bounds.max === null) return 'some';
  const { min, max, hasNulls } = bounds;
  const isAll = start <= min && max <= end;
  const isNone = max < start || end < min;
  if (isNone) return hasNulls && passesUndated ? 'some' : 'none';
  if (!isAll) return 'some';
  return passesUndated ? 'all' : unlessNull('all', hasNulls);
}

function grantVerdict({ window, universe }: Grant, boundsOf: BoundsOfColumn): Verdict {
  return allOf([
    ...(window ? [windowVerdict(window, boundsOf)] : []),
    ...(universe ? [anyOf(universe.map((each) => predicateVerdict(each, boundsOf)))] : []),
  ]);
}

export function groupVerdict(
  { predicates, grants }: Pick<QueryPlan, 'predicates' | 'grants'>,
  boundsOf: BoundsOfColumn,
): Verdict {
  return allOf([
    ...predicates.map((predicate) => predicateVerdict(predicate, boundsOf)),
    anyOf(grants.map((grant) => grantVerdict(grant, boundsOf))),
  ]);
}
