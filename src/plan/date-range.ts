/** The dates that a request asks for, and how the look-back period and the window close them. */
import type { Column } from '../catalog/dataset.ts';
import type { Problem } from '../errors.ts';
import { formatPeriod, type Period, shiftByPeriod } from '../request/period.ts';
import { problemAt } from '../request/request-problem.ts';
import type { Predicate } from './query-plan.ts';

interface DateBound {
  readonly date: string;
  readonly isIncluded: boolean;
}

/** The tightest bounds among all predicates on the column; null where that end is open. */
export interface DateRange {
  readonly lower: DateBound | null;
  readonly upper: DateBound | null;
}

function tighterLower(a: DateBound | null, b: DateBound): DateBound {
  if (!a || b.date > a.date) return b;
  return b.date === a.date && !b.isIncluded ? b : a;
}

function tighterUpper(a: DateBound | null, b: DateBound): DateBound {
  if (!a || b.date < a.date) return b;
  return b.date === a.date && !b.isIncluded ? b : a;
}

function rangeOf(predicate: Predicate): DateRange {
  if ('pattern' in predicate) return { lower: null, upper: null };
  if ('values' in predicate) {
    const dates = predicate.values.map(String).sort();
    return {
      lower: { date: dates[0] as string, isIncluded: true },
      upper: { date: dates.at(-1) as string, isIncluded: true },
    };
  }
  const { operator } = predicate;
  const isIncluded = operator === 'eq' || operator === 'ge' || operator === 'le';
  const bound = { date: String(predicate.value), isIncluded };
  return {
    lower: operator === 'lt' || operator === 'le' ? null : bound,
    upper: operator === 'gt' || operator === 'ge' ? null : bound,
  };
}

export function findDateRange(column: Column, predicates: readonly Predicate[]): DateRange {
  let lower: DateBound | null = null;
  let upper: DateBound | null = null;
  for (const predicate of predicates) {
    if (predicate.column !== column) continue;
    const range = rangeOf(predicate);
    if (range.lower) lower = tighterLower(lower, range.lower);
    if (range.upper) upper = tighterUpper(upper, range.upper);
  }
  return { lower, upper };
}

/** Null, or the problem that the dates asked for lie further apart than the period. */
export function findSpanProblem(
  column: Column,
  predicates: readonly Predicate[],
  period: Period,
): Problem | null {
  const { lower, upper } = findDateRange(column, predicates);
  if (!lower || !upper || shiftByPeriod(lower.date, period, 1) >= upper.date) return null;
  const text = formatPeriod(period);
  const msg =
    `The date range from ${lower.date} to ${upper.date} exceeds the history limit of ${text}; ` +
    `narrow the range or ask for a longer 'period'`;
  const input = `${lower.date}..${upper.date}`;
  return problemAt(['query', column.name], 'history_limit', msg, input, {
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
