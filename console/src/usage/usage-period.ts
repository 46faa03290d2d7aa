import { addDays, dateOf, daysBetween } from '../format/dates';
import { dayOf, readEach, type Search } from '../layout/known-search';

/** The service takes no more. */
const DAYS_MAX = 366;

/** Days in UTC, both inclusive; left out: the month so far. */
export type UsagePeriod = ReturnType<typeof readUsagePeriod>;

export function readUsagePeriod(search: Search) {
  return readEach(['from', 'to'], search, dayOf);
}

/** A problem with the period; '' if there is none. */
export function periodProblem({ from, to }: UsagePeriod): string {
  if (from === undefined || to === undefined) return '';
  if (to < from) return 'Must not be before the first day';
  return daysBetween(from, to) > DAYS_MAX ? `At most ${DAYS_MAX} days at a time` : '';
}

export function monthSoFar(nowMs: number): Required<UsagePeriod> {
  const to = dateOf(nowMs);
  return { from: `${to.slice(0, 8)}01`, to };
}

interface NamedPeriod {
  readonly label: string;
  readonly period: UsagePeriod;
}

/** Periods that people ask for, as of a moment. */
export function namedPeriods(nowMs: number): readonly NamedPeriod[] {
  const today = dateOf(nowMs);
  const [year, month] = today.split('-').map(Number) as [number, number];
  const lastMonthStart = dateOf(Date.UTC(year, month - 2, 1));
  const lastMonthEnd = dateOf(Date.UTC(year, month - 1, 0));
  return [
    { label: 'This month', period: {} },
    { label: 'Last month', period: { from: lastMonthStart, to: lastMonthEnd } },
    { label: 'Last 90 days', period: { from: addDays(today, -89), to: today } },
    { label: 'Last 12 months', period: { from: addDays(today, -364), to: today } },
  ];
}

export function periodLabel({ from, to }: UsagePeriod, named: readonly NamedPeriod[]): string {
  const same = named.find(({ period }) => period.from === from && period.to === to);
  return same?.label ?? '';
}
