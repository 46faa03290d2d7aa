/** Whether a request names dates or identifiers that the account may not read. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { BoundValue } from '../engine/engine.ts';
import { ApiError, type Problem } from '../errors.ts';
import { problemAt } from '../request/request-problem.ts';
import type { Condition } from './bind-conditions.ts';
import type { Predicate } from './query-plan.ts';

/** What an access rule allows, its open ends resolved. */
export interface PlanAccess {
  /** First and last date, both included. */
  readonly windowStart: string;
  readonly windowEnd: string;
  /** Empty: every identifier. */
  readonly universe: readonly string[];
}

/** The values that a predicate names one by one. */
function namedValues(predicate: Predicate): readonly BoundValue[] {
  if ('pattern' in predicate) return [];
  return 'values' in predicate ? predicate.values : [predicate.value];
}

/** Throws an ApiError 422 that lists every date that lies outside the account's window. */
export function requireDatesInside(
  dataset: Dataset,
  conditions: readonly Condition[],
  { windowStart, windowEnd }: PlanAccess,
): void {
  const ctx = { start_date: windowStart, end_date: windowEnd };
  const problems: Problem[] = conditions
    .filter(({ predicate }) => predicate.column.name === dataset.dateColumn)
    .flatMap(({ place, predicate }) =>
      namedValues(predicate)
        .map(String)
        .filter((date) => date < windowStart || date > windowEnd)
        .map((date) => {
          const msg = `The date value '${date}' is outside of the allowed range for this account`;
          return problemAt(place, 'date_outside_window', msg, date, ctx);
        }),
    );
  if (problems.length > 0) throw new ApiError(422, problems);
}

/** Symbols of contracts begin with the value of this column. */
const BASE_SYMBOL = 'BaseSymbol';

/**
 * Whether the value certainly names something outside the universe. The universe may name the same
 * security by its other identifier, or a contract by its base symbol: then the rows decide.
 */
function isOutside(
  column: Column,
  value: string,
  dataset: Dataset,
  universe: readonly string[],
): boolean {
  if (universe.includes(value)) return false;
  const { universeColumns, columnByName } = dataset;
  const hasBase = column.name !== BASE_SYMBOL && universeColumns.includes(BASE_SYMBOL);
  const isIdentifier = dataset.identifierColumns.includes(column.name);
  if (!universeColumns.includes(column.name) && !(hasBase && isIdentifier)) return false;
  if (hasBase && universe.some((base) => value.startsWith(base))) return false;
  const hasIntegerIds = universeColumns.some(
    (name) => columnByName.get(name)?.dataType === 'integer',
  );
  const isInteger = column.dataType === 'integer';
  return universe.every((id) => (hasIntegerIds && /^\d+$/.test(id)) === isInteger);
}

/** Throws an ApiError 403 for an identifier of the path or of an equality outside the universe. */
export function requireIdentifiersInside(
  dataset: Dataset,
  conditions: readonly Condition[],
  { universe }: PlanAccess,
): void {
  if (universe.length === 0) return;
  for (const { predicate } of conditions) {
    if (predicate.operator !== 'eq') continue;
    const identifier = String(predicate.value);
    if (!isOutside(predicate.column, identifier, dataset, universe)) continue;
    throw new ApiError(
      403,
      `The account is not authorized to access the identifier ${identifier} ` +
        `in dataset ${dataset.name}`,
    );
  }
}
