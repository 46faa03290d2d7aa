/**
 * The clocks of the markets. Times are kept as UTC nanoseconds and read and written as local time
 * with the offset of that moment; the offsets come from the runtime's own time zone data.
 */
import type { TimeZone } from './time-zone.ts';

export const NANOS_PER_SECOND = 1_000_000_000n;
export const NANOS_PER_DAY = 86_400_000_000_000n;
/** Times from 1900 to 2199 are kept; a year on either side leaves room for every offset. */
const FIRST_INSTANT = Temporal.Instant.from('1899-01-01T00:00:00Z');
const END_INSTANT = Temporal.Instant.from('2201-01-01T00:00:00Z');

/** An interval of one offset: `offsetSeconds` holds from `startSeconds` up to `endSeconds`. */
export interface OffsetInterval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly offsetSeconds: number;
}

function offsetOf(time: Temporal.ZonedDateTime): number {
  return time.offsetNanoseconds / Number(NANOS_PER_SECOND);
}

function findIntervals(zone: TimeZone): readonly OffsetInterval[] {
  const intervals: OffsetInterval[] = [];
  const first = FIRST_INSTANT.toZonedDateTimeISO(zone);
  let [startSeconds, offsetSeconds] = [Number.NEGATIVE_INFINITY, offsetOf(first)];
  const close = (endSeconds: number) => intervals.push({ startSeconds, endSeconds, offsetSeconds });
  let change = first.getTimeZoneTransition('next');
  while (change && change.epochMilliseconds < END_INSTANT.epochMilliseconds) {
    if (offsetOf(change) !== offsetSeconds) {
      close(change.epochMilliseconds / 1000);
      [startSeconds, offsetSeconds] = [change.epochMilliseconds / 1000, offsetOf(change)];
    }
    change = change.getTimeZoneTransition('next');
  }
  close(Number.POSITIVE_INFINITY);
  return intervals;
}

const known = new Map<TimeZone, readonly OffsetInterval[]>();

/**
 * Every interval of one offset between 1900 and 2199, oldest first; the first one starts at
 * -Infinity.
 */
export function offsetIntervals(zone: TimeZone): readonly OffsetInterval[] {
  return known.getOrInsertComputed(zone, findIntervals);
}

/** The interval of one offset around an instant given in UTC seconds. */
export function offsetIntervalAt(zone: TimeZone, epochSeconds: number): OffsetInterval {
  const intervals = offsetIntervals(zone);
  let [low, high] = [0, intervals.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((intervals[middle] as OffsetInterval).startSeconds <= epochSeconds) low = middle;
    else high = middle;
  }
  return intervals[low] as OffsetInterval;
}

/** Rounded down, also before 1970. */
export function floorDivide(nanos: bigint, unit: bigint): number {
  const whole = nanos / unit;
  return Number(nanos % unit < 0n ? whole - 1n : whole);
}

export const floorSeconds = (nanos: bigint) => floorDivide(nanos, NANOS_PER_SECOND);

/** Days since 1970-01-01 of local wall-clock nanoseconds. */
export function daysOfLocalNanos(localNanos: bigint): number {
  return floorDivide(localNanos, NANOS_PER_DAY);
}

/**
 * UTC nanoseconds of a local wall-clock time given as nanoseconds since 1970-01-01T00:00:00 on that
 * clock. An hour that the clock shows twice is the earlier one; a time that it skips is read with
 * the offset before the skip.
 */
export function utcOfLocalNanos(zone: TimeZone, localNanos: bigint): bigint {
  const localSeconds = floorSeconds(localNanos);
  const guess = offsetIntervalAt(zone, localSeconds - 86_400);
  const isInGuess = localSeconds - guess.offsetSeconds < guess.endSeconds;
  const offset = isInGuess
    ? guess.offsetSeconds
    : offsetIntervalAt(zone, guess.endSeconds).offsetSeconds;
  const isSkipped = !isInGuess && localSeconds - offset < guess.endSeconds;
  return localNanos - BigInt(isSkipped ? guess.offsetSeconds : offset) * NANOS_PER_SECOND;
}

/** True if the market's clock skips the local time `YYYY-MM-DDTHH:MM:SS…`, without an offset. */
export function isSkippedLocalTime(zone: TimeZone, text: string): boolean {
  const localSeconds = Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`) / 1000;
  if (!/^.{19}(\.\d*)?$/.test(text) || Number.isNaN(localSeconds)) return false;
  const local = BigInt(localSeconds) * NANOS_PER_SECOND;
  return localOfUtcNanos(zone, utcOfLocalNanos(zone, local)) !== local;
}

/** Local wall-clock nanoseconds since 1970-01-01T00:00:00 of UTC nanoseconds. */
export function localOfUtcNanos(zone: TimeZone, utcNanos: bigint): bigint {
  const { offsetSeconds } = offsetIntervalAt(zone, floorSeconds(utcNanos));
  return utcNanos + BigInt(offsetSeconds) * NANOS_PER_SECOND;
}

/** UTC nanoseconds of a local date (`YYYY-MM-DD`) and nanoseconds since that midnight's 00:00. */
export function utcOfMarketTime(zone: TimeZone, date: string, nanosOfDay: number | bigint): bigint {
  const days = BigInt(Date.parse(`${date}T00:00:00Z`) / 86_400_000);
  return utcOfLocalNanos(zone, days * NANOS_PER_DAY + BigInt(nanosOfDay));
}

/** The market's calendar date, `YYYY-MM-DD`, at an instant in epoch milliseconds. */
export function marketDate(zone: TimeZone, epochMs: number): string {
  const { offsetSeconds } = offsetIntervalAt(zone, Math.floor(epochMs / 1000));
  return new Date(epochMs + offsetSeconds * 1000).toISOString().slice(0, 10);
}

/** The calendar dates of a market and of UTC at an instant in epoch milliseconds. */
export function today(zone: TimeZone, epochMs: number): { market: string; utc: string } {
  return { market: marketDate(zone, epochMs), utc: new Date(epochMs).toISOString().slice(0, 10) };
}

/** `-05:00`. */
export function offsetText(offsetSeconds: number): string {
  const minutes = Math.round(Math.abs(offsetSeconds) / 60);
  const clock = [Math.floor(minutes / 60), minutes % 60].map((part) => `${part}`.padStart(2, '0'));
  return `${offsetSeconds < 0 ? '-' : '+'}${clock.join(':')}`;
}

/** UTC nanoseconds by the market's clock, with nine fraction digits and its offset in minutes. */
export function marketTimeText(zone: TimeZone, utcNanos: bigint): string {
  const { offsetSeconds } = offsetIntervalAt(zone, floorSeconds(utcNanos));
  const local = localOfUtcNanos(zone, utcNanos);
  const seconds = floorSeconds(local);
  const clock = new Date(seconds * 1000).toISOString().slice(0, 19);
  const fraction = String(local - BigInt(seconds) * NANOS_PER_SECOND).padStart(9, '0');
  return `${clock}.${fraction}${offsetText(offsetSeconds)}`;
}
