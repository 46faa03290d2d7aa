/**
 * Which bar a moment belongs to. Bars within a day are counted from the last session that has
 * begun, so that none holds two sessions, and end with it. Bars of days hold whole days, by the
 * session where it begins on the evening before its date.
 */
import {
  type CalendarName,
  isHalfDayOf,
  ROOTS_OF_GROUPS,
  tradingDayFrom,
} from '@ticklake/market/calendars.ts';
import type { Dataset } from '../catalog/dataset.ts';
import {
  type BarRules,
  eveningOf,
  goesOverMidnight,
  INTERVALS,
  type Interval,
} from '../catalog/interval.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import { localOfUtcNanos, NANOS_PER_DAY, utcOfLocalNanos } from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';

const MINUTE_NANOS = 60_000_000_000n;

/** The moments of a bar; of bars of days, those that are sure to belong to it. */
export interface BarSpan {
  /** Equal for the moments of one bar of what it is about; it ascends with time. */
  readonly bar: bigint;
  /** Nanoseconds of the first moment that is no longer of the bar; null: it takes another date. */
  readonly endNanos: bigint | null;
}

/** Date and time of a bar's row. */
export interface BarLabel {
  /** Days since 1970. */
  readonly date: number;
  readonly timeNanos: bigint;
}

type DayUnit = 'day' | 'week' | 'month';

/** The first day of the day, week (from Monday on) or month, in days since 1970. */
const FIRST_DAY: Readonly<Record<DayUnit, (day: number) => number>> = {
  day: (day) => day,
  // 1970 began on a Thursday.
  week: (day) => day - ((((day + 3) % 7) + 7) % 7),
  month: (day) => daysOfDate(`${dateOfDays(day).slice(0, 7)}-01`),
};

function clockNanos(date: number, clock: string, timeZone: TimeZone): bigint {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const ofDay = BigInt(60 * hours + minutes) * MINUTE_NANOS;
  return utcOfLocalNanos(timeZone, BigInt(date) * NANOS_PER_DAY + ofDay);
}

/** Keeps what the function said last. */
function lastKept<K, T>(valueOn: (key: K) => T): (key: K) => T {
  let known: { readonly key: K; readonly value: T } | null = null;
  return (key) => {
    if (known === null || known.key !== key) known = { key, value: valueOn(key) };
    return known.value;
  };
}

/** The root of a contract, whose product group dates its sessions; null: it is no contract. */
export type Root = string | null;

export interface BarClock {
  /** True if the rows of a bar are adjacent in natural order. */
  readonly isContiguous: boolean;
  /** `date` in days since 1970; `timeNanos` is 0 where stored bars are of days. */
  spanOf(date: number, timeNanos: bigint, root: Root): BarSpan;
  /** Neither the date's rows nor later ones belong to earlier bars, or to bars ahead of those. */
  earliestBar(date: number): bigint;
  labelOf(bar: bigint, date: number, root: Root): BarLabel;
  /** True if no bar spans this date and an earlier one. */
  beginsOn(date: number): boolean;
}

function sessionsOn(rules: BarRules, calendar: CalendarName, date: number): readonly string[] {
  const { sessions, earlyClose } = rules;
  if (earlyClose === null || !isHalfDayOf(calendar, dateOfDays(date))) return sessions;
  return [...sessions.slice(0, -1), earlyClose];
}

/** When bars begin anew around a date: with its sessions, and at midnight if none goes over it. */
function anchorsAround({ timeZone, calendar }: Dataset, rules: BarRules, date: number): bigint[] {
  const clocksOn = (day: number) =>
    sessionsOn(rules, calendar, day).map((clock) => [day, clock] as const);
  const clocks =
    eveningOf(rules) === null
      ? [[date, '00:00'] as const, ...clocksOn(date), [date + 1, '00:00'] as const]
      : [date - 1, date, date + 1].flatMap(clocksOn);
  return clocks
    .map(([day, clock]) => clockNanos(day, clock, timeZone))
    .sort((a, b) => (a < b ? -1 : 1));
}

interface MinuteInterval {
  readonly interval: Interval;
  readonly minutes: number;
}

/** Bars within a day are told apart by their first nanosecond. */
function minuteClock(
  dataset: Dataset,
  rules: BarRules,
  { interval, minutes }: MinuteInterval,
  firstDate: number | null,
): BarClock {
  const { timeZone } = dataset;
  const length = BigInt(minutes) * MINUTE_NANOS;
  const anchorsOn = lastKept((date: number) => anchorsAround(dataset, rules, date));
  const isOver = goesOverMidnight(dataset, interval);
  const midnightOf = (date: number) => clockNanos(date, '00:00', timeZone);
  return {
    isContiguous: !isOver,
    spanOf: (date, timeNanos) => {
      const anchors = anchorsOn(date);
      const next = anchors.findIndex((anchor) => anchor > timeNanos);
      const anchor = anchors.at(next === -1 ? -1 : Math.max(0, next - 1)) as bigint;
      // Times may lie before the midnight of their date.
      const passed = timeNanos - anchor;
      const whole = passed / length - (passed < 0n && passed % length !== 0n ? 1n : 0n);
      const bar = anchor + whole * length;
      const end = next === -1 ? null : (anchors[next] as bigint);
      return { bar, endNanos: end !== null && end < bar + length ? end : bar + length };
    },
    // Bars of the date before may go on, and its other bars come after them in the answer.
    earliestBar: (date) => (isOver ? midnightOf(date - 1) : 0n),
    labelOf: (bar, date) => {
      if (!isOver) return { date, timeNanos: bar };
      const begun = Number(localOfUtcNanos(timeZone, bar) / NANOS_PER_DAY);
      return firstDate === null || begun >= firstDate
        ? { date: begun, timeNanos: bar }
        : { date: firstDate, timeNanos: midnightOf(firstDate) };
    },
    beginsOn: () => !isOver,
  };
}

function tradingDay(calendar: CalendarName, day: number, root: Root): number {
  return daysOfDate(tradingDayFrom(calendar, dateOfDays(day), root));
}

/** The stretches of a date that belong to different sessions; days are those since 1970. */
export function sessionsOfDates({ timeZone, calendar }: Dataset, rules: BarRules) {
  const evening = eveningOf(rules);
  const dayFrom = (day: number, root: Root) =>
    evening === null ? day : tradingDay(calendar, day, root);
  // Rows of a date follow each other.
  return lastKept((date: number) => {
    // Values of a date do not tell which of them are of its evening.
    const end =
      evening === null || rules.time === null ? null : clockNanos(date, evening, timeZone);
    return lastKept((root: Root): readonly { day: number; endNanos: bigint | null }[] => [
      { day: dayFrom(date, root), endNanos: end },
      ...(end === null ? [] : [{ day: dayFrom(date + 1, root), endNanos: null }]),
    ]);
  });
}

/** The part of a date that a moment lies in. */
export function atMoment<T extends { readonly endNanos: bigint | null }>(
  parts: readonly T[],
  timeNanos: bigint,
): T {
  return parts.find(({ endNanos }) => endNanos === null || timeNanos < endNanos) as T;
}

/** Bars of days are told apart by their first day. */
function dayClock(
  dataset: Dataset,
  rules: BarRules,
  unit: DayUnit,
  firstDate: number | null,
): BarClock {
  const { timeZone, calendar } = dataset;
  const sessionsOf = sessionsOfDates(dataset, rules);
  const barOf = (day: number) => BigInt(FIRST_DAY[unit](day));
  return {
    isContiguous: false,
    spanOf: (date, timeNanos, root) => {
      const { day, endNanos } = atMoment(sessionsOf(date)(root), timeNanos);
      return { bar: barOf(day), endNanos };
    },
    earliestBar: barOf,
    labelOf: (bar, _, root) => {
      const day = Number(bar);
      const first = unit === 'day' ? day : tradingDay(calendar, day, root);
      const date = Math.max(first, firstDate ?? first);
      const begun = eveningOf(rules) === null ? date : date - 1;
      return { date, timeNanos: clockNanos(begun, rules.sessions[0] ?? '00:00', timeZone) };
    },
    beginsOn: (date) =>
      ROOTS_OF_GROUPS.every((root) => {
        const [before] = sessionsOf(date - 1)(root).slice(-1);
        const [first] = sessionsOf(date)(root);
        return barOf(before?.day ?? date) < barOf(first?.day ?? date);
      }),
  };
}

/** `firstDate`: first day that is read; no bar begins before. */
export function barClock(
  dataset: Dataset,
  rules: BarRules,
  interval: Interval,
  firstDate: number | null,
): BarClock {
  const { minutes, unit } = INTERVALS[interval];
  return minutes === null
    ? dayClock(dataset, rules, unit ?? 'day', firstDate)
    : minuteClock(dataset, rules, { interval, minutes }, firstDate);
}
