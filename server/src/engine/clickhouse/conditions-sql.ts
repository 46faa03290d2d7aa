/** Which rows a plan lets pass, as SQL conditions on parts that store its columns alike. Pure. */
import type { Column } from '../../catalog/dataset.ts';
import { daysOfDate } from '../columns.ts';
import type { DateWindow, Grant, QueryPlan } from '../query-plan.ts';
import { NEVER, predicateSql } from './operator-sql.ts';
import { columnSql, type ReadColumn } from './read-columns.ts';
import { integerSql } from './sql-values.ts';

type ReadOf = (column: Column) => ReadColumn;

function windowSql({ column, start, end, passesUndated }: DateWindow, readOf: ReadOf): string {
  const read = readOf(column);
  if (read.stored === null) return passesUndated ? '1' : NEVER;
  const name = columnSql(read);
  const [from, to] = [start, end].map((date) => integerSql(daysOfDate(date)));
  const isInside = `(${name} >= ${from} AND ${name} <= ${to})`;
  return passesUndated ? `(isNull(${name}) OR ${isInside})` : isInside;
}

/** One of the conditions holds; without any, nothing does. */
function anySql(conditions: readonly string[]): string {
  return conditions.length === 0 ? NEVER : `(${conditions.join(' OR ')})`;
}

function grantSql({ window, universe }: Grant, readOf: ReadOf): string[] {
  return [
    ...(universe ? [anySql(universe.map((each) => predicateSql(each, readOf)))] : []),
    ...(window ? [windowSql(window, readOf)] : []),
  ];
}

/** One of the grants lets the row pass; one without limits lets every row. */
function grantsSql(grants: readonly Grant[], readOf: ReadOf): string[] {
  if (grants.some(({ window, universe }) => !window && !universe)) return [];
  const alternatives = grants.map((grant) => `(${grantSql(grant, readOf).join(' AND ')})`);
  return [anySql(alternatives)];
}

/** All of them have to hold; without any, every row passes. */
export function conditionsOf(
  { predicates, grants }: Pick<QueryPlan, 'predicates' | 'grants'>,
  readOf: ReadOf,
): string[] {
  return [
    ...predicates.map((predicate) => predicateSql(predicate, readOf)),
    ...grantsSql(grants, readOf),
  ];
}

/** What the grants let pass, whatever is asked for; null: every row. */
export function grantedSql({ grants }: Pick<QueryPlan, 'grants'>, readOf: ReadOf): string | null {
  return grantsSql(grants, readOf)[0] ?? null;
}

/** Whether the plan finds every row of its parts. */
export function findsEveryRow({ predicates, grants }: QueryPlan): boolean {
  return predicates.length === 0 && grants.some(({ window, universe }) => !window && !universe);
}
