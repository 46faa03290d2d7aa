/** How many rows of a row group pass the conditions of a plan, as far as bounds tell. Pure. */
import type { Column } from '../../../catalog/dataset.ts';
import { between, rangeVerdict, type Verdict } from '../../../plan/prune.ts';
import type { DateWindow, Grant, Predicate, QueryPlan } from '../../query-plan.ts';
import type { ChunkBounds } from './lake-footer.ts';

/** The bounds of a column in the group; null: they are not known. */
type BoundsOfColumn = (column: Column) => ChunkBounds | null;
/** Judges the rows of a group by its bounds. */
export type GroupVerdict = (boundsOf: BoundsOfColumn) => Verdict;

/** A condition that one of several decides by its verdict, or all of them by the other one. */
function combined(
  conditions: readonly GroupVerdict[],
  ofOne: Exclude<Verdict, 'some'>,
  ofAll: Exclude<Verdict, 'some'>,
): GroupVerdict {
  return (boundsOf) => {
    const verdicts = conditions.map((verdictBy) => verdictBy(boundsOf));
    if (verdicts.includes(ofOne)) return ofOne;
    return verdicts.every((verdict) => verdict === ofAll) ? ofAll : 'some';
  };
}

const allOf = (conditions: readonly GroupVerdict[]) => combined(conditions, 'none', 'all');
const anyOf = (conditions: readonly GroupVerdict[]) => combined(conditions, 'all', 'none');

/** `ofNulls`: the verdict on rows without a value. */
function columnVerdict(
  column: Column,
  range: ReturnType<typeof rangeVerdict>,
  ofNulls: Verdict,
): GroupVerdict {
  return (boundsOf) => {
    const bounds = range && boundsOf(column);
    if (!bounds || bounds.min === null || bounds.max === null) return 'some';
    const verdict = range(bounds.min, bounds.max);
    return bounds.hasNulls && verdict !== ofNulls ? 'some' : verdict;
  };
}

function predicateVerdict(predicate: Predicate): GroupVerdict {
  return columnVerdict(predicate.column, rangeVerdict(predicate), 'none');
}

function windowVerdict({ column, start, end, passesUndated }: DateWindow): GroupVerdict {
  const dates = between({ lower: 'included', upper: 'included' }, start, end);
  return columnVerdict(column, dates, passesUndated ? 'all' : 'none');
}

function grantVerdict({ window, universe }: Grant): GroupVerdict {
  return allOf([
    ...(window ? [windowVerdict(window)] : []),
    ...(universe ? [anyOf(universe.map(predicateVerdict))] : []),
  ]);
}

export function groupVerdict({
  predicates,
  grants,
}: Pick<QueryPlan, 'predicates' | 'grants'>): GroupVerdict {
  return allOf([...predicates.map(predicateVerdict), anyOf(grants.map(grantVerdict))]);
}
