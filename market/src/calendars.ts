/** The calendars of markets by name. Dates are `YYYY-MM-DD`. */
import { halfDaysOf, isScheduledTradingDay, isTradingDay } from './calendar.ts';
import { CME_SESSIONS, type Session, US_STOCK_SESSIONS } from './sessions.ts';

/*
 * The days whose session has a trade date of its own in the product groups of CME Group.
 *
 * On most holidays of the stock exchanges Globex trades for some hours, and that session belongs to
 * the next trade date. Unforeseen closures of the stock exchanges, such as days of mourning and
 * hurricanes, were trade dates of all groups. So were, for financial futures, those Good Fridays on
 * which the employment report was published.
 *
 * Source: the calendars by product of pandas_market_calendars 5.5.0, without the Good Fridays of
 * 2024 and 2025, which had no report and which exchange_calendars 4.13.2 has as closed. The two
 * disagree about 2025-01-09: a day on which a group traded in its day hours keeps its session.
 */

/** Equity indices, currencies, interest rates and cryptocurrencies. */
const FINANCIAL_ROOTS: ReadonlySet<string> = new Set([
  ...[
    'ES',
    'MES',
    'NQ',
    'MNQ',
    'RTY',
    'M2K',
    'EMD',
    'SP',
    'SMC',
    'YM',
    'MYM',
    'NKD',
    'NIY',
    'RS1',
    'SDA',
  ],
  ...['XAB', 'XAE', 'XAF', 'XAI', 'XAK', 'XAP', 'XAR', 'XAU', 'XAV', 'XAY', 'XAZ'],
  ...[
    '6A',
    '6B',
    '6C',
    '6E',
    '6J',
    '6L',
    '6M',
    '6N',
    '6R',
    '6S',
    '6Z',
    'E7',
    'J7',
    'SEK',
    'NOK',
    'RP',
    'RY',
  ],
  ...['M6A', 'M6B', 'M6E', 'MCD', 'MIR', 'MJY', 'MSF', 'SIR'],
  ...[
    'GE',
    'SR1',
    'SR3',
    'ZQ',
    'ZT',
    'Z3N',
    'ZF',
    'ZN',
    'TN',
    'ZB',
    'UB',
    'TWE',
    '2YY',
    '5YY',
    '10Y',
    '30Y',
  ],
  ...['BTC', 'MBT', 'ETH', 'MET', 'SOL', 'MSL', 'XRP', 'MXP'],
]);

const SHORT_GOOD_FRIDAYS: ReadonlySet<string> = new Set([
  ...['2010-04-02', '2012-04-06', '2015-04-03', '2021-04-02', '2023-04-07', '2026-04-03'],
]);

/** Products with more trading days than all have, and those days. */
interface ProductGroup {
  readonly roots: ReadonlySet<string>;
  readonly addedDays: ReadonlySet<string>;
}

/** A root of each product group whose days differ; null: any other. */
export const ROOTS_OF_GROUPS: readonly (string | null)[] = [null, 'ES'];

/** Without a root: whether it is a trade date of all product groups. */
export function isFuturesTradingDay(date: string, root: string | null): boolean {
  if (SHORT_GOOD_FRIDAYS.has(date)) return root !== null && FINANCIAL_ROOTS.has(root);
  return isScheduledTradingDay(date);
}

interface TradingCalendar {
  /** Which days it has, for the documentation. */
  readonly meaning: string;
  /** The clocks of its markets, whose datasets have it by default. */
  readonly timeZones: readonly string[];
  /** `root`: of the product; null: unknown, or of no account. */
  readonly isTradingDay: (date: string, root: string | null) => boolean;
  readonly groups?: readonly ProductGroup[];
  /** The days of a year on which the market closes early; absent: it never does. */
  readonly halfDaysOf?: (year: number) => ReadonlySet<string>;
  /** The stretches of a trading day; none: days are not divided. */
  readonly sessions: readonly Session[];
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
    halfDaysOf,
    sessions: US_STOCK_SESSIONS,
  },
  CME: {
    meaning: "those of CME's product groups, and the default with `America/Chicago`",
    timeZones: ['America/Chicago'],
    isTradingDay: isFuturesTradingDay,
    groups: [{ roots: FINANCIAL_ROOTS, addedDays: SHORT_GOOD_FRIDAYS }],
    sessions: CME_SESSIONS,
  },
  weekdays: {
    meaning: 'Monday to Friday, and the default with any other `time_zone`',
    timeZones: [],
    isTradingDay: isWeekday,
    sessions: [],
  },
  every_day: { meaning: 'every day', timeZones: [], isTradingDay: () => true, sessions: [] },
} as const satisfies Readonly<Record<string, TradingCalendar>>;

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

export const DAY_KINDS = ['open', 'half_day', 'closed'] as const;
export type DayKind = (typeof DAY_KINDS)[number];

/** A calendar of which some days are other than they were foreseen. */
interface ChangedCalendar {
  readonly name: CalendarName;
  readonly days: Readonly<Record<string, DayKind>>;
}

export type Calendar = CalendarName | ChangedCalendar;

export function calendarName(calendar: Calendar): CalendarName {
  return typeof calendar === 'string' ? calendar : calendar.name;
}

function shippedOf(calendar: Calendar): TradingCalendar {
  return CALENDARS[calendarName(calendar)];
}

function changeOn(calendar: Calendar, date: string): DayKind | undefined {
  return typeof calendar === 'string' ? undefined : calendar.days[date];
}

/** `root` decides where products of the market differ. */
export function isTradingDayOf(
  calendar: Calendar,
  date: string,
  root: string | null = null,
): boolean {
  const change = changeOn(calendar, date);
  return change ? change !== 'closed' : shippedOf(calendar).isTradingDay(date, root);
}

function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

function foreseenHalfDays(calendar: Calendar, year: number): ReadonlySet<string> {
  return shippedOf(calendar).halfDaysOf?.(year) ?? new Set();
}

/** True if the market closes early on that date. */
export function isHalfDayOf(calendar: Calendar, date: string): boolean {
  const change = changeOn(calendar, date);
  if (change) return change === 'half_day';
  return foreseenHalfDays(calendar, yearOf(date)).has(date);
}

/** The half days from one date to another, both included, oldest first. */
export function halfDaysBetween(calendar: Calendar, first: string, last: string): string[] {
  const days = new Set(typeof calendar === 'string' ? [] : Object.keys(calendar.days));
  for (let year = yearOf(first); year <= yearOf(last); year++) {
    for (const day of foreseenHalfDays(calendar, year)) days.add(day);
  }
  const isMeant = (day: string) => day >= first && day <= last && isHalfDayOf(calendar, day);
  return [...days].filter(isMeant).sort();
}

/** By name and year, since looking at each day of many years takes milliseconds. */
const irregularDays = new Map<string, readonly string[]>();

function foreseenIrregularDays(name: CalendarName, year: number): readonly string[] {
  const key = `${name} ${year}`;
  const known = irregularDays.get(key);
  if (known) return known;
  const days: string[] = [];
  for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = nextDay(day)) {
    if (isTradingDayOf(name, day) !== isWeekday(day)) days.push(day);
  }
  irregularDays.set(key, days);
  return days;
}

/** Weekdays without trading, and weekend days with it, from one date to another, both included. */
export function irregularDaysBetween(calendar: Calendar, first: string, last: string): string[] {
  const days = new Set(typeof calendar === 'string' ? [] : Object.keys(calendar.days));
  for (let year = yearOf(first); year <= yearOf(last); year++) {
    for (const day of foreseenIrregularDays(calendarName(calendar), year)) days.add(day);
  }
  const isIrregular = (day: string) => isTradingDayOf(calendar, day) !== isWeekday(day);
  return [...days].filter((day) => day >= first && day <= last && isIrregular(day)).sort();
}

/** By product group, the trading days from one date to another that others do not have. */
export function productDaysBetween(calendar: Calendar, first: string, last: string) {
  const isMeant = (day: string, root: string | null) =>
    day >= first && day <= last && isTradingDayOf(calendar, day, root);
  return (shippedOf(calendar).groups ?? []).map(({ roots, addedDays }) => ({
    roots: [...roots].sort(),
    days: [...addedDays].filter((day) => [...roots].some((root) => isMeant(day, root))).sort(),
  }));
}

export function sessionsOfCalendar(calendar: Calendar): readonly Session[] {
  return shippedOf(calendar).sessions;
}

/** The first trading day on a date or after it. */
export function tradingDayFrom(
  calendar: Calendar,
  date: string,
  root: string | null = null,
): string {
  let day = date;
  while (!isTradingDayOf(calendar, day, root)) day = nextDay(day);
  return day;
}

/** The last day before a date on which all product groups trade. */
export function tradingDayBefore(calendar: Calendar, date: string): string {
  let day = date;
  do day = nextDay(day, -1);
  while (!ROOTS_OF_GROUPS.every((root) => isTradingDayOf(calendar, day, root)));
  return day;
}

/** The first trading day after a date. */
export function tradingDayAfter(calendar: Calendar, date: string): string {
  return tradingDayFrom(calendar, nextDay(date));
}

function nextDay(date: string, days = 1): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
