/** The calendars of markets by name. Dates are `YYYY-MM-DD`. */
import { isHalfDay, isTradingDay } from './calendar.ts';
import { isFuturesTradingDay } from './futures-calendar.ts';

interface TradingCalendar {
  /** Which days it has, for the documentation. */
  readonly meaning: string;
  /** The clocks of the markets that keep it; their datasets have it unless they name another one. */
  readonly timeZones: readonly string[];
  /** `root`: of the product; null: unknown, or of no account. */
  readonly isTradingDay: (date: string, root: string | null) => boolean;
  /** Whether the market closes early; absent: it never does. */
  readonly isHalfDay?: (date: string) => boolean;
}

const DAY_MS = 86_400_000;

function isWeekday(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).getUTCDay() % 6 !== 0;
}

const CALENDARS = {
  XNYS: {
    meaning: 'those of US stock markets, and the default with `America/New_York`',
    timeZones: ['America/New_York'],
    isTradingDay,
    isHalfDay,
  },
  CME: {
    meaning: "those of CME's product groups, and the default with `America/Chicago`",
    timeZones: ['America/Chicago'],
    isTradingDay: isFuturesTradingDay,
  },
  weekdays: {
    meaning: 'Monday to Friday, and the default with any other `time_zone`',
    timeZones: [],
    isTradingDay: isWeekday,
  },
  every_day: { meaning: 'every day', timeZones: [], isTradingDay: () => true },
} as const satisfies Readonly<Record<string, TradingCalendar>>;

export { ROOTS_OF_GROUPS } from './futures-calendar.ts';

export type CalendarName = keyof typeof CALENDARS;

export const CALENDAR_NAMES = Object.keys(CALENDARS) as CalendarName[];

/** Each calendar by name with its days, for the documentation. */
export const CALENDAR_MEANINGS = CALENDAR_NAMES.map(
  (name) => `\`${name}\`: ${CALENDARS[name].meaning}`,
).join('; ');

/** The calendar of the markets that go by a clock; Monday to Friday where none is known. */
export function calendarOfZone(zone: string): CalendarName {
  const keepsZone = (name: CalendarName) =>
    (CALENDARS[name].timeZones as readonly string[]).includes(zone);
  return CALENDAR_NAMES.find(keepsZone) ?? 'weekdays';
}

/** `root` decides where products of the market differ. */
export function isTradingDayOf(
  name: CalendarName,
  date: string,
  root: string | null = null,
): boolean {
  const calendar: TradingCalendar = CALENDARS[name];
  return calendar.isTradingDay(date, root);
}

/** Whether the market closes early on that date. */
export function isHalfDayOf(name: CalendarName, date: string): boolean {
  const calendar: TradingCalendar = CALENDARS[name];
  return calendar.isHalfDay?.(date) ?? false;
}

/** The first trading day on a date or after it. */
export function tradingDayFrom(
  name: CalendarName,
  date: string,
  root: string | null = null,
): string {
  let day = date;
  while (!isTradingDayOf(name, day, root)) day = nextDay(day);
  return day;
}

/** The first trading day after a date. */
export function tradingDayAfter(name: CalendarName, date: string): string {
  return tradingDayFrom(name, nextDay(date));
}

function nextDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}
