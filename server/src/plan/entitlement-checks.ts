/** Whether a request names dates or identifiers that the account may not read. */

import { ApiError, type Problem } from '../base/errors.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { OPERATORS } from '../engine/operators.ts';
import type { BoundValue } from '../engine/part.ts';
import type { IdentifierList, Predicate } from '../engine/query-plan.ts';
import { problemAt } from '../request/request-problem.ts';
import type { Condition } from './bind-conditions.ts';
import { boundsOf, daysOf } from './date-range.ts';
import { type Entitlement, entitlementsMeeting } from './entitlement.ts';
import { isNaming, valuesOf } from './predicate.ts';

/** The dates that a predicate names or is bounded by. */
function datesOf(predicate: Predicate): string[] {
  const { bounds } = OPERATORS[predicate.operator];
  return bounds === null ? [] : valuesOf(predicate).map(String);
}

/** A date, and for an exclusive bound also the nearest day that it admits: `lt` the day before. */
function daysNamed(date: string, predicate: Predicate): readonly string[] {
  if (isNaming(predicate)) return [date];
  const { first, last } = daysOf(boundsOf(predicate));
  return [date, first ?? date, last ?? date];
}

/**
 * Throws an ApiError 'invalid' that lists every date that lies outside all of the account's windows. An
 * exclusive bound is inside if its date or the nearest day that it admits is.
 */
export function requireDatesInside(
  dataset: Dataset,
  conditions: readonly Condition[],
  entitlements: readonly Entitlement[],
): void {
  const isInside = (date: string) =>
    entitlements.some(({ start, end }) => date >= start && date <= end);
  const windows = entitlements
    .filter(({ start, end }) => start <= end)
    .map(({ start, end }) => ({ start_date: start, end_date: end }));
  const problems: Problem[] = conditions
    .filter(({ predicate }) => predicate.column.name === dataset.dateColumn)
    .flatMap(({ place, predicate }) =>
      datesOf(predicate)
        .filter((date) => !daysNamed(date, predicate).some(isInside))
        .map((date) => {
          const msg = `The date value '${date}' is outside of the allowed range for this account`;
          return problemAt(place, 'date_outside_window', msg, date, { windows });
        }),
    );
  if (problems.length > 0) throw new ApiError('invalid', problems);
}

/** Whether a root and a contract's symbol, one asked for and one permitted, may go together. */
function isFamily(isRoot: boolean, value: string, universe: readonly IdentifierList[]): boolean {
  const goesWith = (id: string) => (isRoot ? id.startsWith(value) : value.startsWith(id));
  return universe.some(({ values }) => values.map(String).some(goesWith));
}

/**
 * Whether the value certainly names something outside the universe. The universe may name the same
 * security by its other identifier, or a contract by its root: then the rows decide.
 */
function isOutside(
  column: Column,
  value: BoundValue,
  dataset: Dataset,
  universe: readonly IdentifierList[],
): boolean {
  const { universeColumns, identifierColumns, rootColumn } = dataset;
  const hasRoot = rootColumn !== null && universeColumns.includes(rootColumn);
  const isIdentifier = hasRoot && identifierColumns.includes(column.name);
  if (!isIdentifier && !universeColumns.includes(column.name)) return false;
  if (universe.some((each) => each.column === column && each.values.includes(value))) return false;
  if (hasRoot && isFamily(column.name === rootColumn, String(value), universe)) return false;
  const isInteger = column.dataType === 'integer';
  return universe.every((each) => (each.column.dataType === 'integer') === isInteger);
}

/**
 * Throws an ApiError 'forbidden' for an identifier of the path or of an equality that is outside of every
 * universe: of those that hold on the dates asked for or, where none does, of all.
 */
export function requireIdentifiersInside(
  dataset: Dataset,
  conditions: readonly Condition[],
  entitlements: readonly Entitlement[],
): void {
  const predicates = conditions.map(({ predicate }) => predicate);
  const met = entitlementsMeeting(dataset, predicates, entitlements);
  const asked = met.length > 0 ? met : entitlements;
  for (const { predicate } of conditions) {
    if (predicate.operator !== 'eq') continue;
    const { column, value } = predicate;
    const isRefused = asked.every(
      ({ universe }) => universe && isOutside(column, value, dataset, universe),
    );
    if (!isRefused) continue;
    throw new ApiError(
      'forbidden',
      `The account is not authorized to access the identifier ${value} ` +
        `in dataset ${dataset.name}`,
    );
  }
}
