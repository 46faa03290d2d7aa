/**
 * Dates of requests for bars of whole sessions, where rows of an evening have its date: a date
 * asked for is that of a session, and its rows have the date of the evening before, too.
 */
import { tradingDayBefore } from '@ticklake/market/calendars.ts';
import { keepsEveningDate } from '@ticklake/market/sessions.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { INTERVALS, type Interval } from '../catalog/interval.ts';
import { LAST_DATE } from '../engine/accepted-values.ts';
import { OPERATORS } from '../engine/operators.ts';
import type { Predicate, SessionGrant } from '../engine/query-plan.ts';
import { addDays, datesOf } from '../request/literals.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import { dateColumnOf, isNaming, valuesOf } from './conditions.ts';
import { findDays } from './date-range.ts';
import type { Entitlement } from './entitlement.ts';

/** True if the bars are dated by sessions and their rows are not. */
export function isOfSessions({ sessions }: Dataset, interval: Interval): boolean {
  return INTERVALS[interval].minutes === null && keepsEveningDate(sessions);
}

/** The date of the last session that ended by a date. */
export function latestSession({ calendar }: Dataset, date: string): string {
  return tradingDayBefore(calendar, addDays(date, 1));
}

/**
 * The conditions on the date that sessions meet. Those that close the range at the last date of the
 * version do not bound them: the session that is open on it ends later.
 */
export function sessionDates(
  dataset: Dataset,
  asked: readonly Predicate[],
  closing: readonly Predicate[],
  lastDate: string,
): Predicate[] {
  const bounding = closing.filter((predicate) => {
    const { last } = findDays(dateColumnOf(dataset), [predicate]);
    return last === null || last < lastDate;
  });
  return [...asked, ...bounding].filter(({ column }) => column.name === dataset.dateColumn);
}

/**
 * The rules that have begun; null: one of them holds all sessions of all identifiers. The evening
 * that a rule ends with belongs to a session that it does not allow.
 */
export function sessionGrants(
  dataset: Dataset,
  dates: readonly Predicate[],
  rules: readonly RuleTerms[],
  entitlements: readonly Entitlement[],
): readonly SessionGrant[] | null {
  const column = dateColumnOf(dataset);
  const { first } = findDays(column, withEvenings(dataset, dates));
  const grants = entitlements.flatMap(({ start, universe, hasBegun }, at): SessionGrant[] => {
    const end = rules[at]?.endDate ?? LAST_DATE;
    return hasBegun ? [{ window: { column, start, end, passesUndated: false }, universe }] : [];
  });
  const holdsAll = ({ window, universe }: SessionGrant) =>
    universe === null && window.end === LAST_DATE && first !== null && window.start <= first;
  return grants.some(holdsAll) ? null : grants;
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
