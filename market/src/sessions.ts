/**
 * The sessions of markets: the stretches of a trading day, in their order, by the clock of the
 * market. The first one may begin on the evening before its trade date.
 */

export const SESSION_NAMES = ['regular', 'extended', 'overnight'] as const;
export type SessionName = (typeof SESSION_NAMES)[number];

export interface Session {
  readonly name: SessionName;
  /** `HH:MM`; later than `end`: on the evening before the trade date. */
  readonly start: string;
  /** `HH:MM`, the first minute after it. */
  readonly end: string;
  /** In place of `start` and `end` on half days. */
  readonly halfDayStart?: string;
  readonly halfDayEnd?: string;
  /** Date of the rows of its evening: the trade date if absent, or that of the evening itself. */
  readonly eveningDate?: 'same';
}

/**
 * Sources: NYSE Rule 7.34-E and Nasdaq Equity 4, Rule 4120(b), for regular and extended hours; for
 * the night, 20:00 to 04:00 on the eves of trading days, the filings of 24X, NYSE Arca and Nasdaq.
 */
export const US_STOCK_SESSIONS: readonly Session[] = [
  { name: 'overnight', start: '20:00', end: '04:00' },
  { name: 'extended', start: '04:00', end: '09:30' },
  { name: 'regular', start: '09:30', end: '16:00', halfDayEnd: '13:00' },
  { name: 'extended', start: '16:00', end: '20:00', halfDayStart: '13:00' },
];

/** Source: the trading hours of CME Globex. Files date rows by the calendar day in Chicago. */
export const CME_SESSIONS: readonly Session[] = [
  { name: 'regular', start: '17:00', end: '16:00', eveningDate: 'same' },
];

export interface SessionSpan {
  readonly name: SessionName;
  /** Nanoseconds since local midnight of the trade date; below 0 on the evening before. */
  readonly startNanos: number;
  /** The first nanosecond after it. */
  readonly endNanos: number;
}

const MINUTE_NANOS = 60e9;
const DAY_NANOS = 1440 * MINUTE_NANOS;

function nanosOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return (60 * hours + minutes) * MINUTE_NANOS;
}

/** When each session begins and ends, in their order. */
export function sessionSpans(sessions: readonly Session[], isHalfDay: boolean): SessionSpan[] {
  return sessions.map(({ name, start, end, halfDayStart, halfDayEnd }) => {
    const startNanos = nanosOf((isHalfDay && halfDayStart) || start);
    const endNanos = nanosOf((isHalfDay && halfDayEnd) || end);
    return { name, startNanos: startNanos - (start > end ? DAY_NANOS : 0), endNanos };
  });
}

/** Nanoseconds before midnight at which the first session begins; 0: it does not. */
export function eveningNanos([first]: readonly Session[]): number {
  return first && first.start > first.end ? DAY_NANOS - nanosOf(first.start) : 0;
}

/** True if rows of the evening before a trade date have the date of that evening. */
export function keepsEveningDate([first]: readonly Session[]): boolean {
  return first?.eveningDate === 'same';
}

/** Seconds of the evening before a trade date whose rows have that date. */
export function nightSeconds(sessions: readonly Session[]): number {
  return keepsEveningDate(sessions) ? 0 : eveningNanos(sessions) / 1e9;
}

/** The hours of a trading day, in nanoseconds since its midnight. */
export interface DayHours {
  /** Beginning of the night before it; that of the day if sessions have no night. */
  readonly nightStartNanos: number;
  readonly startNanos: number;
  readonly regularStartNanos: number;
  readonly regularEndNanos: number;
  readonly endNanos: number;
}

export function dayHours(sessions: readonly Session[], isHalfDay: boolean): DayHours {
  const spans = sessionSpans(sessions, isHalfDay);
  const regular = spans.find(({ name }) => name === 'regular');
  const day = spans.find(({ name }) => name !== 'overnight');
  return {
    nightStartNanos: spans[0]?.startNanos ?? 0,
    startNanos: day?.startNanos ?? 0,
    regularStartNanos: regular?.startNanos ?? 0,
    regularEndNanos: regular?.endNanos ?? 0,
    endNanos: spans.at(-1)?.endNanos ?? 0,
  };
}
