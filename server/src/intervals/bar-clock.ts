/**
 * Which bar a moment belongs to. Bars within a day are counted from the last session that has
 * begun, so that none holds two sessions, and end with it. Bars of days hold whole days, by the
 * session where rows of its evening have the date of that evening.
 */
import {
  type Calendar,
  isHalfDayOf,
  ROOTS_OF_GROUPS,
  tradingDayFrom,
} from '@ticklake/market/calendars.ts';
import {
  eveningNanos,
  keepsEveningDate,
  type SessionName,
  type SessionSpan,
  sessionSpans,
} from '@ticklake/market/sessions.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type BarRules, goesOverMidnight, INTERVALS, type Interval } from '../catalog/interval.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import { localOfUtcNanos, NANOS_PER_DAY, utcOfLocalNanos } from '../time/market-time.ts';

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

/** `nanosOfDay`: since local midnight of the date, below 0 on the evening before. */
export function momentOf({ timeZone }: Dataset, date: number, nanosOfDay: number): bigint {
  return utcOfLocalNanos(timeZone, BigInt(date) * NANOS_PER_DAY + BigInt(nanosOfDay));
}

/** Keeps what the function said last. */
export function lastKept<K, T>(valueOn: (key: K) => T): (key: K) => T {
  let known: { readonly key: K; readonly value: T } | null = null;
  return (key) => {
    if (known === null || known.key !== key) known = { key, value: valueOn(key) };
    return known.value;
  };
}

/** The root of a contract, whose product group dates its sessions; null: it is no contract. */
export type Root = string | null;

interface ReadBars {
  /** First day that is read, in days since 1970; no bar begins before. Null: any. */
  readonly firstDate: number | null;
  /** Null: all. */
  readonly session: SessionName | null;
}

export interface BarClock {
  /** True if the rows of a bar are adjacent in natural order. */
  readonly isContiguous: boolean;
  /** `date` in days since 1970; `timeNanos` is 0 where stored bars are of days. */
  spanOf(date: number, timeNanos: bigint, root: Root): BarSpan;
  /** Neither the date's rows nor later ones belong to earlier bars, or to bars ahead of those. */
  earliestBar(date: number): bigint;
  /** `date` and `timeNanos` are those of its first row. */
  labelOf(bar: bigint, date: number, timeNanos: bigint, root: Root): BarLabel;
  /** True if no bar spans this date and an earlier one. */
  beginsOn(date: number): boolean;
}

export function spansOn({ sessions, calendar }: Dataset, date: number): readonly SessionSpan[] {
  return sessionSpans(sessions, isHalfDayOf(calendar, dateOfDays(date)));
}

const MIDNIGHTS = [{ startNanos: 0 }];

/** When bars begin anew around a date: with its sessions, or at midnight if none goes over it. */
function anchorsAround(dataset: Dataset, date: number): bigint[] {
  const midnights = eveningNanos(dataset.sessions) === 0 ? MIDNIGHTS : [];
  return [date - 1, date, date + 1]
    .flatMap((day) =>
      [...midnights, ...spansOn(dataset, day)].map((span) =>
        momentOf(dataset, day, span.startNanos),
      ),
    )
    .sort((a, b) => (a < b ? -1 : 1));
}

/** Bars within a day are told apart by their first nanosecond. */
function minuteClock(
  dataset: Dataset,
  { interval, minutes }: { readonly interval: Interval; readonly minutes: number },
  firstDate: number | null,
): BarClock {
  const { timeZone } = dataset;
  const length = BigInt(minutes) * MINUTE_NANOS;
  const anchorsOn = lastKept((date: number) => anchorsAround(dataset, date));
  const isOver = goesOverMidnight(dataset, interval);
  const midnightOf = (date: number) => momentOf(dataset, date, 0);
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
    // Bars of the date before may go on, and its other bars come after them in the answer. Those
    // that begin before the first date are dated by it.
    earliestBar: (date) =>
      isOver && (firstDate === null || date - 1 > firstDate) ? midnightOf(date - 1) : 0n,
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

function tradingDay(calendar: Calendar, day: number, root: Root): number {
  return daysOfDate(tradingDayFrom(calendar, dateOfDays(day), root));
}

/** The stretches of a date that belong to different sessions; days are those since 1970. */
export function sessionsOfDates(dataset: Dataset, rules: BarRules) {
  const { calendar, sessions } = dataset;
  const isOver = keepsEveningDate(sessions);
  const dayFrom = (day: number, root: Root) => (isOver ? tradingDay(calendar, day, root) : day);
  // Rows of a date follow each other.
  return lastKept((date: number) => {
    // Values of a date do not tell which of them are of its evening.
    const end =
      isOver && rules.time !== null ? momentOf(dataset, date + 1, -eveningNanos(sessions)) : null;
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

/**
 * When a bar of days begins: with the first of the sessions that are read, but for a night before
 * its first row.
 */
function startOfDay(
  dataset: Dataset,
  session: SessionName | null,
  date: number,
  rowNanos: bigint,
): number {
  const spans = spansOn(dataset, date).filter(({ name }) => session === null || name === session);
  const [first] = spans;
  const day = spans.find(({ name }) => name !== 'overnight') ?? first;
  const isOfDay = day && momentOf(dataset, date, day.startNanos) <= rowNanos;
  const start = isOfDay && !keepsEveningDate(dataset.sessions) ? day : first;
  return start?.startNanos ?? 0;
}

/** Bars of days are told apart by their first day. */
function dayClock(
  dataset: Dataset,
  rules: BarRules,
  unit: DayUnit,
  { firstDate, session }: ReadBars,
): BarClock {
  const { calendar } = dataset;
  const sessionsOf = sessionsOfDates(dataset, rules);
  const barOf = (day: number) => BigInt(FIRST_DAY[unit](day));
  return {
    isContiguous: false,
    spanOf: (date, timeNanos, root) => {
      const { day, endNanos } = atMoment(sessionsOf(date)(root), timeNanos);
      return { bar: barOf(day), endNanos };
    },
    earliestBar: barOf,
    labelOf: (bar, rowDate, rowNanos, root) => {
      const day = Number(bar);
      const first = unit === 'day' ? day : tradingDay(calendar, day, root);
      const date = Math.max(first, firstDate ?? first);
      return {
        date,
        timeNanos: momentOf(dataset, date, startOfDay(dataset, session, rowDate, rowNanos)),
      };
    },
    beginsOn: (date) =>
      ROOTS_OF_GROUPS.every((root) => {
        const [before] = sessionsOf(date - 1)(root).slice(-1);
        const [first] = sessionsOf(date)(root);
        return barOf(before?.day ?? date) < barOf(first?.day ?? date);
      }),
  };
}

export function barClock(
  dataset: Dataset,
  rules: BarRules,
  interval: Interval,
  read: ReadBars,
): BarClock {
  const { minutes, unit } = INTERVALS[interval];
  return minutes === null
    ? dayClock(dataset, rules, unit ?? 'day', read)
    : minuteClock(dataset, { interval, minutes }, read.firstDate);
}
