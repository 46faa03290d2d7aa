/** Small readings of dates that several reference datasets share. */

import { isTradingDay, nextTradingDay } from '@ticklake/market/calendar.ts';
import type { CellValue } from 'ticklake/engine/columns.ts';
import { utcOfMarketTime } from 'ticklake/time/market-time.ts';

const DAY_MS = 86_400_000;
const NANOS_PER_MINUTE = 60_000_000_000;

/** A row by column name. */
export type Row = Readonly<Record<string, CellValue>>;

/** UTC nanoseconds of a moment on the New York clock. */
export function easternMoment(date: string, minutes: number): bigint {
  return utcOfMarketTime('America/New_York', date, minutes * NANOS_PER_MINUTE);
}

/** The trading day that is `days` calendar days after a date (before, if negative), or the next. */
export function tradingDayNear(date: string, days: number): string {
  const moved = new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS)
    .toISOString()
    .slice(0, 10);
  return isTradingDay(moved) ? moved : nextTradingDay(moved);
}

/** Compares rows by the given columns; null comes last. */
export function byColumns(...names: readonly string[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const name of names) {
      const [left, right] = [a[name], b[name]];
      if (left === right) continue;
      if (left === null || left === undefined) return 1;
      if (right === null || right === undefined) return -1;
      return left < right ? -1 : 1;
    }
    return 0;
  };
}
