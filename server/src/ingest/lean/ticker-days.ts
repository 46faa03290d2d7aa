/** Days of tickers: which periods overlap, and what one leaves of another. */
import { dateOfDays, daysOfDate } from '../../engine/columns.ts';
import type { TickerPeriod } from '../../store/securities.ts';

export function dayAfter(date: string, days = 1): string {
  return dateOfDays(daysOfDate(date) + days);
}

/** A period of a ticker and whose it is. */
export interface Claim<T> {
  readonly of: T;
  readonly at: TickerPeriod;
}

/** By ticker. */
export type Claims<T> = ReadonlyMap<string, readonly Claim<T>[]>;

export function claimsOf<T extends { readonly periods: readonly TickerPeriod[] }>(
  all: Iterable<T>,
): Claims<T> {
  const claims = [...all].flatMap((of) => of.periods.map((at) => ({ of, at })));
  return Map.groupBy(claims, ({ at }) => at.ticker);
}

/** The first day of both; null: there is none. */
export function firstSharedDay(a: TickerPeriod, b: TickerPeriod): string | null {
  if (a.ticker !== b.ticker) return null;
  const [, start = ''] = [a.startDate, b.startDate].toSorted();
  const [end = ''] = [a.endDate, b.endDate].toSorted();
  return start <= end ? start : null;
}

/** A period without the days of another one. */
function withoutDays(period: TickerPeriod, taken: TickerPeriod): TickerPeriod[] {
  if (firstSharedDay(period, taken) === null) return [period];
  const left: TickerPeriod[] = [];
  if (period.startDate < taken.startDate) {
    left.push({ ...period, endDate: dayAfter(taken.startDate, -1) });
  }
  if (period.endDate > taken.endDate) {
    left.push({ ...period, startDate: dayAfter(taken.endDate) });
  }
  return left;
}

/** Periods without the days that others claim. */
export function withoutClaims(
  periods: readonly TickerPeriod[],
  claims: Claims<unknown>,
): TickerPeriod[] {
  return periods.flatMap((period) =>
    (claims.get(period.ticker) ?? []).reduce<TickerPeriod[]>(
      (left, { at }) => left.flatMap((each) => withoutDays(each, at)),
      [period],
    ),
  );
}
