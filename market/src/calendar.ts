/**
 * The trading calendar of US equity and option markets, by rule and by the unscheduled closures
 * since 2007. Dates are `YYYY-MM-DD`.
 */

const DAY_MS = 86_400_000;
const MONDAY = 1;
const THURSDAY = 4;

export interface Closure {
  readonly date: string;
  readonly holiday: string;
}

interface Year {
  /** Closed weekdays by date, oldest first. */
  readonly closures: ReadonlyMap<string, string>;
  readonly halfDays: ReadonlySet<string>;
}

const UNSCHEDULED: readonly Closure[] = [
  { date: '2007-01-02', holiday: 'Day of Mourning for Gerald Ford' },
  { date: '2012-10-29', holiday: 'Hurricane Sandy' },
  { date: '2012-10-30', holiday: 'Hurricane Sandy' },
  { date: '2018-12-05', holiday: 'Day of Mourning for George H. W. Bush' },
  { date: '2025-01-09', holiday: 'Day of Mourning for Jimmy Carter' },
];

function msOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** 0 is Sunday. */
function weekday(ms: number): number {
  return new Date(ms).getUTCDay();
}

/** The `nth` such weekday of a month (1 is January); `nth` -1 is the last one. */
function nthWeekday(year: number, month: number, day: number, nth: number): number {
  if (nth > 0) {
    const first = Date.UTC(year, month - 1, 1);
    return first + (((day - weekday(first) + 7) % 7) + 7 * (nth - 1)) * DAY_MS;
  }
  const last = Date.UTC(year, month, 0);
  return last - ((weekday(last) - day + 7) % 7) * DAY_MS;
}

/** Easter Sunday of the Gregorian calendar (the method of Meeus, Jones and Butcher). */
function easter(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = b >> 2;
  const e = b % 4;
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const k = c % 4;
  const l = (32 + 2 * e + 2 * (c >> 2) - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1);
}

/** A fixed date, kept on Friday when it falls on Saturday and on Monday when on Sunday. */
function observed(year: number, month: number, day: number): number {
  const ms = Date.UTC(year, month - 1, day);
  const shift: Record<number, number> = { 0: 1, 6: -1 };
  return ms + (shift[weekday(ms)] ?? 0) * DAY_MS;
}

/** A Saturday New Year is not kept: the Friday before belongs to the old year. */
function newYear(year: number): number | null {
  const ms = observed(year, 1, 1);
  return ms < Date.UTC(year, 0, 1) ? null : ms;
}

/** Holidays that were moved to a Monday in that year; their days before it are not known. */
const MONDAYS_SINCE = 1971;

function movedMonday(year: number, month: number, nth: number): number | null {
  return year < MONDAYS_SINCE ? null : nthWeekday(year, month, MONDAY, nth);
}

const HOLIDAYS: readonly (readonly [
  holiday: string,
  dateOfYear: (year: number) => number | null,
])[] = [
  ["New Year's Day", newYear],
  ['Martin Luther King, Jr. Day', (year) => (year < 1998 ? null : nthWeekday(year, 1, MONDAY, 3))],
  ["Presidents' Day", (year) => movedMonday(year, 2, 3)],
  ['Good Friday', (year) => easter(year) - 2 * DAY_MS],
  ['Memorial Day', (year) => movedMonday(year, 5, -1)],
  ['Juneteenth', (year) => (year < 2022 ? null : observed(year, 6, 19))],
  ['Independence Day', (year) => observed(year, 7, 4)],
  ['Labor Day', (year) => nthWeekday(year, 9, MONDAY, 1)],
  ['Thanksgiving Day', (year) => nthWeekday(year, 11, THURSDAY, 4)],
  ['Christmas Day', (year) => observed(year, 12, 25)],
];

function isWeekend(ms: number): boolean {
  return weekday(ms) % 6 === 0;
}

function buildYear(year: number): Year {
  const scheduled = HOLIDAYS.flatMap(([holiday, dateOfYear]) => {
    const ms = dateOfYear(year);
    return ms === null ? [] : [{ date: dateOf(ms), holiday }];
  });
  const unscheduled = UNSCHEDULED.filter(({ date }) => date.startsWith(`${year}-`));
  const closures = new Map(
    [...scheduled, ...unscheduled]
      .sort((a, b) => (a.date < b.date ? -1 : 1))
      .map(({ date, holiday }) => [date, holiday]),
  );
  const halfDays = [
    Date.UTC(year, 6, 3),
    nthWeekday(year, 11, THURSDAY, 4) + DAY_MS,
    Date.UTC(year, 11, 24),
  ].filter((ms) => !isWeekend(ms) && !closures.has(dateOf(ms)));
  return { closures, halfDays: new Set(halfDays.map(dateOf)) };
}

const years = new Map<number, Year>();

function yearNumbered(number: number): Year {
  return years.getOrInsertComputed(number, buildYear);
}

function yearOf(date: string): Year {
  return yearNumbered(Number(date.slice(0, 4)));
}

/** A trading day, or one that only an event nobody could foresee has closed. */
export function isScheduledTradingDay(date: string): boolean {
  return isTradingDay(date) || UNSCHEDULED.some((closure) => closure.date === date);
}

export function isTradingDay(date: string): boolean {
  return !isWeekend(msOf(date)) && !yearOf(date).closures.has(date);
}

/** Days of a year on which regular trading ends at 13:00 Eastern. */
export function halfDaysOf(year: number): ReadonlySet<string> {
  return yearNumbered(year).halfDays;
}

/** True if regular trading ends at 13:00 Eastern on that date. */
export function isHalfDay(date: string): boolean {
  return yearOf(date).halfDays.has(date);
}

function step(date: string, days: 1 | -1): string {
  let next = date;
  do next = dateOf(msOf(next) + days * DAY_MS);
  while (!isTradingDay(next));
  return next;
}

/** The last trading day before a date. */
export function previousTradingDay(date: string): string {
  return step(date, -1);
}

/** The first trading day after a date. */
export function nextTradingDay(date: string): string {
  return step(date, 1);
}

/** The last `count` trading days up to and with `date`, oldest first. */
export function tradingDaysEndingAt(date: string, count: number): string[] {
  const days: string[] = [];
  let day = isTradingDay(date) ? date : previousTradingDay(date);
  while (days.length < count) {
    days.push(day);
    day = previousTradingDay(day);
  }
  return days.reverse();
}

/** Every full-day closure of the years `fromYear` to `toYear`, both included, oldest first. */
export function closures(fromYear: number, toYear: number): Closure[] {
  const found: Closure[] = [];
  for (let year = fromYear; year <= toYear; year++)
    for (const [date, holiday] of yearNumbered(year).closures) found.push({ date, holiday });
  return found;
}
