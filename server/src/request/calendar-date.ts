/** Dates are `YYYY-MM-DD` text, whose order as text is the order of the days. */
import { dateOfDays, daysOfDate } from '../engine/columns.ts';

const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
/** Limits of date arithmetic, so that its results stay ten characters long. */
const EARLIEST = '0001-01-01';
const LATEST = '9999-12-31';

/** JSON Schema pattern of dates; `isCalendarDate` checks that the month has the day. */
export const DATE_PATTERN = '^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';

/** Whether the text is a day of the calendar from 1900 to 2199. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const year = Number(text.slice(0, 4));
  if (year < FIRST_YEAR || year > LAST_YEAR) return false;
  const days = daysOfDate(text);
  return Number.isFinite(days) && dateOfDays(days) === text;
}

export function earlierOf(one: string, other: string): string {
  return [one, other].toSorted()[0] as string;
}

export function laterOf(one: string, other: string): string {
  return [one, other].toSorted()[1] as string;
}

/** The date so many days later (earlier when negative). */
export function addDays(date: string, days: number): string {
  const sum = daysOfDate(date) + days;
  if (sum < daysOfDate(EARLIEST)) return EARLIEST;
  return sum > daysOfDate(LATEST) ? LATEST : dateOfDays(sum);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The same day so many years later; 29 February becomes 28 February where it must. */
export function addYears(date: string, years: number): string {
  const year = Number(date.slice(0, 4)) + years;
  if (year < 1) return EARLIEST;
  if (year > 9999) return LATEST;
  const monthDay = date.slice(4);
  const isClamped = monthDay === '-02-29' && !isLeapYear(year);
  return `${String(year).padStart(4, '0')}${isClamped ? '-02-28' : monthDay}`;
}
