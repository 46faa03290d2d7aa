/** The dates that a request asks for, and how the look-back period and the window close them. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { Problem } from '../errors.ts';
import { formatPeriod, type Period, shiftByPeriod } from '../request/period.ts';
import { problemAt } from '../request/request-problem.ts';
import type { Condition } from './bind-conditions.ts';
import type { PlanAccess } from './entitlement-checks.ts';
import type { DateWindow, Predicate } from './query-plan.ts';

interface DateBound {
  readonly date: string;
  readonly isIncluded: boolean;
}

/** The tightest bounds among all conditions on the date column; null where that end is open. */
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

export function findDateRange(dataset: Dataset, conditions: readonly Condition[]): DateRange {
  let lower: DateBound | null = null;
  let upper: DateBound | null = null;
  for (const { predicate } of conditions) {
    if (predicate.column.name !== dataset.dateColumn) continue;
    const range = rangeOf(predicate);
    if (range.lower) lower = tighterLower(lower, range.lower);
    if (range.upper) upper = tighterUpper(upper, range.upper);
  }
  return { lower, upper };
}

/** Null, or the problem that the dates asked for lie further apart than the period. */
export function findSpanProblem(
  dataset: Dataset,
  { lower, upper }: DateRange,
  period: Period,
): Problem | null {
  if (!lower || !upper || shiftByPeriod(lower.date, period, 1) >= upper.date) return null;
  const text = formatPeriod(period);
  const msg =
    `The date range from ${lower.date} to ${upper.date} exceeds the history limit of ${text}; ` +
    `narrow the range or ask for a longer 'period'`;
  const input = `${lower.date}..${upper.date}`;
  return problemAt(['query', dataset.dateColumn as string], 'history_limit', msg, input, {
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

/**
 * What has to be added to the conditions so that the rows keep to the closed range and to the
 * account's window. A range with an end asks for rows that have a date, so plain comparisons do;
 * without any, rows that have no date pass too.
 */
export function confine(
  column: Column,
  asked: DateRange,
  closed: DateRange,
  { windowStart, windowEnd }: PlanAccess,
): { predicates: Predicate[]; window: DateWindow | null } {
  if (!closed.lower && !closed.upper)
    return { predicates: [], window: { column, start: windowStart, end: windowEnd } };
  const lower = tighterLower(closed.lower, { date: windowStart, isIncluded: true });
  const upper = tighterUpper(closed.upper, { date: windowEnd, isIncluded: true });
  const predicates: Predicate[] = [];
  if (!isSame(asked.lower, lower))
    predicates.push({ column, operator: lower.isIncluded ? 'ge' : 'gt', value: lower.date });
  if (!isSame(asked.upper, upper))
    predicates.push({ column, operator: upper.isIncluded ? 'le' : 'lt', value: upper.date });
  return { predicates, window: null };
}
