/** SQL that tells whether a time lies on a date, or in the session of a date. */
import { offsetIntervals } from '../../time/market-time.ts';
import type { TimeZone } from '../../time/time-zone.ts';
import { localOfUtcSql } from './clock-offsets.ts';

const NANOS = 1_000_000_000n;
const DAY_SECONDS = 86_400;

const nanosSql = (seconds: number) => `${BigInt(seconds) * NANOS}`;
const DAY = nanosSql(DAY_SECONDS);

/** Of a local clock. The difference of two times would not always fit into 64 bits. */
const midnightSql = (date: string) => `(${DAY} * (${date} - DATE '1970-01-01'))`;

/** Whether nanoseconds of a local clock since 1970 lie on a date. */
export function isLocalOnDateSql(local: string, date: string): string {
  const midnight = midnightSql(date);
  return `(${local} >= ${midnight} AND ${local} < ${midnight} + ${DAY})`;
}

/**
 * Whether a time lies on a date by the market's clock, or in the session of that date, which begins
 * `beforeMidnightSeconds` before the date does. Most times do so whatever the offset of that day is,
 * which two comparisons tell; the others need their offset.
 */
export function isOnDateSql(
  zone: TimeZone,
  time: string,
  date: string,
  beforeMidnightSeconds = 0,
): string {
  const offsets = offsetIntervals(zone).map(({ offsetSeconds }) => offsetSeconds);
  const utc = `epoch_ns(${time})`;
  const midnight = midnightSql(date);
  const first = nanosSql(-Math.min(...offsets) - beforeMidnightSeconds);
  const last = nanosSql(DAY_SECONDS - Math.max(...offsets) - beforeMidnightSeconds);
  const local = `(${localOfUtcSql(utc)} + ${nanosSql(beforeMidnightSeconds)})`;
  return `CASE WHEN ${utc} >= ${midnight} + ${first} AND ${utc} < ${midnight} + ${last} THEN true
    ELSE ${isLocalOnDateSql(local, date)} END`;
}
