/**
 * Which bar a moment belongs to. Bars within a day are counted from the last session that has begun, so that
 * none holds two sessions, and end with it. Bars of days hold whole days, by the session where it begins on the
 * evening before its date.
 */
import { type CalendarName, isHalfDayOf, tradingDayFrom } from '@ticklake/market/calendars.ts';
import type { BarRules } from '../catalog/bar-rules.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { INTERVALS, type Interval } from '../catalog/interval.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import { NANOS_PER_DAY, utcOfLocalNanos } from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';

const MINUTE_NANOS = 60_000_000_000n;
const NOON = '12:00';

/** The moments of a bar; of bars of days, those that are sure to belong to it. */
export interface BarSpan {
  /** Equal for the moments of one bar of what it is about; it ascends with time. */
  readonly bar: bigint;
  /** Nanoseconds of the first moment that is no longer of the bar; null: it takes another date. */
  readonly endNanos: bigint | null;
}

/** What a bar's row says of when it is. */
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

/** The same function, which keeps what it said of the last date. */
function lastKept<T>(valueOn: (date: number) => T): (date: number) => T {
  let known: { readonly date: number; readonly value: T } | null = null;
  return (date) => {
    if (known?.date !== date) known = { date, value: valueOn(date) };
    return known.value;
  };
}

export interface BarClock {
  /** Whether the rows of a bar come one after the other in natural order. */
  readonly isWithinDay: boolean;
  /** `date` in days since 1970; `timeNanos` is 0 where stored bars are of days. */
  spanOf(date: number, timeNanos: bigint): BarSpan;
  /** The earliest bar that a row of the date, or of a later one, may belong to. */
  earliestBar(date: number): bigint;
  labelOf(bar: bigint, date: number): BarLabel;
  /** Whether no bar has rows of the date and of earlier ones. */
  beginsOn(date: number): boolean;
}

function sessionsOn(rules: BarRules, calendar: CalendarName, date: number): readonly string[] {
  const { sessions, earlyClose } = rules;
  if (earlyClose === null || !isHalfDayOf(calendar, dateOfDays(date))) return sessions;
  return [...sessions.slice(0, -1), earlyClose];
}

/** Bars within a day are told apart by their first nanosecond. */
function minuteClock({ timeZone, calendar }: Dataset, rules: BarRules, minutes: number): BarClock {
  const length = BigInt(minutes) * MINUTE_NANOS;
  const anchorsOn = lastKept((date: number): readonly bigint[] => {
    const clocks = ['00:00', ...sessionsOn(rules, calendar, date)].toSorted();
    const anchors = clocks.map((clock) => clockNanos(date, clock, timeZone));
    return [...anchors, clockNanos(date + 1, '00:00', timeZone)];
  });
  return {
    isWithinDay: true,
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
    earliestBar: () => 0n,
    labelOf: (bar, date) => ({ date, timeNanos: bar }),
    beginsOn: () => true,
  };
}

/** Bars of days are told apart by their first day. */
function dayClock(
  { timeZone, calendar }: Dataset,
  rules: BarRules,
  unit: DayUnit,
  firstDate: number | null,
): BarClock {
  const [begins = '00:00'] = rules.sessions;
  const isEvening = begins >= NOON;
  /** The day that a session counts to which begins on the evening before, such as on a Sunday. */
  const tradingDay = (day: number) => daysOfDate(tradingDayFrom(calendar, dateOfDays(day)));
  const barOf = (day: number) => BigInt(FIRST_DAY[unit](isEvening ? tradingDay(day) : day));
  // Rows of a date follow each other.
  const spansOn = lastKept((date: number): readonly BarSpan[] => {
    // Values of a date do not tell which of them are of its evening.
    if (!isEvening || rules.time === null) return [{ bar: barOf(date), endNanos: null }];
    const evening = clockNanos(date, begins, timeZone);
    return [
      { bar: barOf(date), endNanos: evening },
      { bar: barOf(date + 1), endNanos: null },
    ];
  });
  return {
    isWithinDay: false,
    spanOf: (date, timeNanos) =>
      spansOn(date).find(({ endNanos }) => endNanos === null || timeNanos < endNanos) as BarSpan,
    earliestBar: (date) => (spansOn(date)[0] as BarSpan).bar,
    labelOf: (bar) => {
      const day = Number(bar);
      const first = unit === 'day' ? day : tradingDay(day);
      const date = Math.max(first, firstDate ?? first);
      return { date, timeNanos: clockNanos(isEvening ? date - 1 : date, begins, timeZone) };
    },
    beginsOn: (date) => {
      const { bar } = spansOn(date - 1).at(-1) as BarSpan;
      return bar < (spansOn(date)[0] as BarSpan).bar;
    },
  };
}

/** `firstDate` is the first day that is read, if the request or its rules say one: no bar begins before. */
export function barClock(
  dataset: Dataset,
  rules: BarRules,
  interval: Interval,
  firstDate: number | null,
): BarClock {
  const { minutes, unit } = INTERVALS[interval];
  return minutes === null
    ? dayClock(dataset, rules, unit ?? 'day', firstDate)
    : minuteClock(dataset, rules, minutes);
}
