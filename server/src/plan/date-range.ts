/** The dates that a request asks for, and how the look-back period and the window close them. */

import type { Problem } from '../base/errors.ts';
import type { Column } from '../catalog/dataset.ts';
import { type End, OPERATORS } from '../engine/operators.ts';
import type { Predicate } from '../engine/query-plan.ts';
import { addDays, formatPeriod, type Period, shiftByPeriod } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import { isNaming, valuesOf } from './conditions.ts';

interface DateBound {
  readonly date: string;
  readonly isIncluded: boolean;
}

/** The tightest bounds among all predicates on the column; null where that end is open. */
export interface DateRange {
  readonly lower: DateBound | null;
  readonly upper: DateBound | null;
}

function tighter(a: DateBound | null, b: DateBound | null, end: keyof DateRange): DateBound | null {
  if (!a || !b) return a ?? b;
  if (a.date === b.date) return b.isIncluded ? a : b;
  return b.date > a.date === (end === 'lower') ? b : a;
}

/** In ascending order. */
function datesOf(predicate: Predicate): string[] {
  return valuesOf(predicate).map(String).sort();
}

function boundAt(date: string | undefined, end: End): DateBound | null {
  return end === null || date === undefined ? null : { date, isIncluded: end === 'included' };
}

/** The bounds that one predicate sets. */
export function boundsOf(predicate: Predicate): DateRange {
  const { bounds } = OPERATORS[predicate.operator];
  if (bounds === null) return { lower: null, upper: null };
  const dates = datesOf(predicate);
  return { lower: boundAt(dates[0], bounds.lower), upper: boundAt(dates.at(-1), bounds.upper) };
}

export function findDateRange(column: Column, predicates: readonly Predicate[]): DateRange {
  let lower: DateBound | null = null;
  let upper: DateBound | null = null;
  for (const predicate of predicates) {
    if (predicate.column !== column) continue;
    const range = boundsOf(predicate);
    lower = tighter(lower, range.lower, 'lower');
    upper = tighter(upper, range.upper, 'upper');
  }
  return { lower, upper };
}

/** Days from `first` to `last`, both inclusive; null where that end is open. */
export interface Days {
  readonly first: string | null;
  readonly last: string | null;
}

/** The first and the last day that a range admits. */
export function daysOf({ lower, upper }: DateRange): Days {
  return {
    first: lower && (lower.isIncluded ? lower.date : addDays(lower.date, 1)),
    last: upper && (upper.isIncluded ? upper.date : addDays(upper.date, -1)),
  };
}

export function findDays(column: Column, predicates: readonly Predicate[]): Days {
  return daysOf(findDateRange(column, predicates));
}

/** The days that all predicates admit; named dates count only if the others admit them too. */
function admittedDays(column: Column, predicates: readonly Predicate[]): Days {
  const days = findDays(column, predicates);
  const lists = predicates
    .filter((predicate) => predicate.column === column && isNaming(predicate))
    .map((predicate) => new Set(datesOf(predicate)));
  const [list, ...others] = lists;
  if (!list) return days;
  const members = [...others.reduce((common, other) => common.intersection(other), list)].filter(
    (date) => date >= (days.first ?? date) && date <= (days.last ?? date),
  );
  return { first: members[0] ?? null, last: members.at(-1) ?? null };
}

/** Null, or the problem that the first and last day admitted lie further apart than the period. */
export function findSpanProblem(
  column: Column,
  predicates: readonly Predicate[],
  period: Period,
): Problem | null {
  const { first, last } = admittedDays(column, predicates);
  if (!first || !last || shiftByPeriod(first, period, 1) >= last) return null;
  const text = formatPeriod(period);
  const msg =
    `The date range from ${first} to ${last} exceeds the history limit of ${text}; ` +
    `narrow the range or ask for a longer 'period'`;
  return problemAt(['query', column.name], 'history_limit', msg, `${first}..${last}`, {
    period: text,
  });
}

/** Closes the open ends so that exactly one period is left, up to `lastDate` without any bound. */
export function closeByPeriod(range: DateRange, period: Period, lastDate: string): DateRange {
  const { lower, upper } = range;
  if (lower && upper) return range;
  if (lower) {
    const date = shiftByPeriod(lower.date, period, 1);
    return { lower, upper: { date, isIncluded: !lower.isIncluded } };
  }
  const end = upper ?? { date: lastDate, isIncluded: true };
  const date = shiftByPeriod(end.date, period, -1);
  return { lower: { date, isIncluded: !end.isIncluded }, upper: end };
}

/** Ends the range at `date` at the latest, unless it begins after `date`. */
export function endBy(range: DateRange, date: string): DateRange {
  const { first, last } = daysOf(range);
  const isLater = last === null || last > date;
  if (!isLater || (first !== null && first > date)) return range;
  return { ...range, upper: { date, isIncluded: true } };
}

function isSame(a: DateBound | null, b: DateBound): boolean {
  return a !== null && a.date === b.date && a.isIncluded === b.isIncluded;
}

/** The predicates that make the range of `column` as tight as `wanted`. */
export function narrow(column: Column, range: DateRange, wanted: DateRange): Predicate[] {
  const predicates: Predicate[] = [];
  const { lower, upper } = wanted;
  if (lower && !isSame(range.lower, lower))
    predicates.push({ column, operator: lower.isIncluded ? 'ge' : 'gt', value: lower.date });
  if (upper && !isSame(range.upper, upper))
    predicates.push({ column, operator: upper.isIncluded ? 'le' : 'lt', value: upper.date });
  return predicates;
}
