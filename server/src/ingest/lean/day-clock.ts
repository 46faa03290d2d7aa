/** Times of day of LEAN's files as UTC, and the dates that markets give them. */

import { daysOfDate } from '../../engine/columns.ts';
import {
  daysOfLocalNanos,
  localOfUtcNanos,
  NANOS_PER_DAY,
  offsetIntervalAt,
  utcOfMarketTime,
} from '../../time/market-time.ts';
import type { TimeZone } from '../../time/time-zone.ts';

export type DataTimeZone = TimeZone | 'UTC';

/** UTC nanoseconds of nanoseconds since local midnight. */
export type DayClock = (nanosOfDay: number) => bigint;

const SECONDS_PER_DAY = 86_400;

function hasOneOffset(zone: TimeZone, date: string): boolean {
  // Offsets never reach a day, so the local day lies within these two instants.
  const midnightSeconds = daysOfDate(date) * SECONDS_PER_DAY;
  const { endSeconds } = offsetIntervalAt(zone, midnightSeconds - SECONDS_PER_DAY);
  return endSeconds > midnightSeconds + 2 * SECONDS_PER_DAY;
}

/** The clock of one local day, quick on all days but those around a change of the offset. */
export function dayClock(zone: DataTimeZone, date: string): DayClock {
  if (zone === 'UTC') {
    const midnight = BigInt(daysOfDate(date)) * NANOS_PER_DAY;
    return (nanosOfDay) => midnight + BigInt(nanosOfDay);
  }
  if (!hasOneOffset(zone, date)) return (nanosOfDay) => utcOfMarketTime(zone, date, nanosOfDay);
  const midnight = utcOfMarketTime(zone, date, 0);
  return (nanosOfDay) => midnight + BigInt(nanosOfDay);
}

/** Days since 1970-01-01 of the calendar date that the zone's clock shows at an instant. */
export function localDays(zone: TimeZone, utcNanos: bigint): number {
  return daysOfLocalNanos(localOfUtcNanos(zone, utcNanos));
}
