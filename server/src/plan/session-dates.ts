/**
 * Dates of requests for bars of whole sessions, where rows of an evening have its date: a date
 * asked for is that of a session, and its rows have the date of the evening before, too.
 */
import { tradingDayBefore } from '@ticklake/market/calendars.ts';
import { keepsEveningDate } from '@ticklake/market/sessions.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { INTERVALS, type Interval } from '../catalog/interval.ts';
import { OPERATORS } from '../engine/operators.ts';
import type { Predicate } from '../engine/query-plan.ts';
import { addDays, datesOf } from '../request/literals.ts';
import { isNaming, valuesOf } from './conditions.ts';

/** True if the bars are dated by sessions and their rows are not. */
export function isOfSessions({ sessions }: Dataset, interval: Interval): boolean {
  return INTERVALS[interval].minutes === null && keepsEveningDate(sessions);
}

/** The date of the last session that ended by a date. */
export function latestSession({ calendar }: Dataset, date: string): string {
  return tradingDayBefore(calendar, addDays(date, 1));
}

/** The conditions on the date that sessions meet; only those of the request bound it above. */
export function sessionDates(
  { dateColumn }: Dataset,
  asked: readonly Predicate[],
  closing: readonly Predicate[],
): Predicate[] {
  const starting = closing.filter(({ operator }) => OPERATORS[operator].bounds?.upper === null);
  return [...asked, ...starting].filter(({ column }) => column.name === dateColumn);
}

/** The conditions, which ask for the days on which the sessions asked for begin, too. */
export function withEvenings(
  { calendar, dateColumn }: Dataset,
  predicates: readonly Predicate[],
): Predicate[] {
  const beginOf = (date: string) => tradingDayBefore(calendar, date);
  return predicates.map((predicate) => {
    const { column, operator } = predicate;
    if (column.name !== dateColumn || OPERATORS[operator].bounds?.lower === null) return predicate;
    const dates = valuesOf(predicate).map(String);
    if (!isNaming(predicate)) return { column, operator: 'ge', value: beginOf(dates[0] as string) };
    const values = dates.flatMap((end) => datesOf({ start: beginOf(end), end }));
    return { column, operator: 'in', values: [...new Set(values)] };
  });
}
