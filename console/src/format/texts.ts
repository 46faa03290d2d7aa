import type { UsedAmounts } from '@ticklake/client';
import { dateOf } from './dates';

const COUNT = new Intl.NumberFormat('en-US');
const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
const THOUSAND = 1000;

/** `1,234,567`. */
export function countText(count: number): string {
  return COUNT.format(count);
}

/** Decimal units, three digits: `999 bytes`, `1.23 MB`, `45.6 GB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= THOUSAND && unit < BYTE_UNITS.length - 1) {
    value /= THOUSAND;
    unit += 1;
  }
  const digits = unit === 0 ? String(value) : value.toPrecision(value < THOUSAND ? 3 : 4);
  return `${Number(digits) === THOUSAND ? '1000' : digits} ${BYTE_UNITS[unit]}`;
}

/** `3 keys`, `1 key`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** `3 of 12 rules` of a list that is narrowed, `12 rules` of a whole one. */
export function foundText(found: number, all: number, one: string, many = `${one}s`): string {
  return found === all
    ? plural(all, one, many)
    : `${countText(found)} of ${plural(all, one, many)}`;
}

/** `Rolled back` of `rolled_back` or `rolled back`. */
export function sentenceCase(text: string): string {
  const words = text.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Holds every word of a search, in any letters. */
export function holdsAll(text: string, search: string): boolean {
  const searched = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

/** `2026-11-21 09:30:00 UTC` of an ISO time in UTC; a dash where there is none. */
export function utcText(time: string | null): string {
  if (time === null) return '–';
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-11-21 09:30 UTC`. */
export function utcMinuteText(time: string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `2026-11-21`. */
export function utcDateText(time: string): string {
  return dateOf(Date.parse(time));
}

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, milliseconds: number])[] = [
  ['year', 365.25 * 86_400_000],
  ['month', 30.44 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const STEP_LAST = ['second', 1000] as const;
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Rounds up almost whole units: 90 days are 3 months, although they are 2.96 mean months. */
const ALMOST = 0.95;

/** `in 3 days`, `2 hours ago`, to the nearest of the largest unit. */
export function relativeText(time: string, nowMs: number): string {
  const distanceMs = new Date(time).getTime() - nowMs;
  const [unit, unitMs] = STEPS.find(([, ms]) => Math.abs(distanceMs) >= ms * ALMOST) ?? STEP_LAST;
  return RELATIVE.format(Math.round(distanceMs / unitMs), unit);
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `November 2026` of a day in it. */
export function monthText(day: string): string {
  return MONTH.format(new Date(day));
}

const MARKET_CLOCKS: Readonly<Record<string, string>> = {
  'America/New_York': 'New York (ET)',
  'America/Chicago': 'Chicago (CT)',
};

/** The clock of a market: `New York (ET)`. */
export function marketClockText(timeZone: string): string {
  return MARKET_CLOCKS[timeZone] ?? timeZone;
}

/** `2021-11-22 to 2026-11-20`; what is said where nothing is known. */
export function coverageText(first: string | null, last: string | null, unknown = '–'): string {
  if (first === null || last === null) return unknown;
  return first === last ? first : `${first} to ${last}`;
}

/** The first date of rules that were made without one. */
export const RULE_FIRST_DATE = '1900-01-01';

/** The trade dates that a rule lets through: `from 2024-01-01 on`, `all dates`. */
export function ruleDatesText(start: string, end: string | null): string {
  const isOpen = start <= RULE_FIRST_DATE;
  if (end !== null) return isOpen ? `up to ${end}` : `${start} to ${end}`;
  return isOpen ? 'all dates' : `from ${start} on`;
}

/** Rows reach into the future, as holidays and offerings do. */
export function isScheduled(last: string | null, nowMs: number): boolean {
  return last !== null && last > dateOf(nowMs);
}

/** The first day of those that do not reach into the future; null where none has dates. */
export function firstDateOf(
  datasets: readonly { first_trade_date: string | null; last_trade_date: string | null }[],
  nowMs: number,
): string | null {
  const past = datasets.filter(({ last_trade_date: last }) => !isScheduled(last, nowMs));
  return past.flatMap(({ first_trade_date: date }) => date ?? []).sort()[0] ?? null;
}

export type Quantity = keyof UsedAmounts;

interface QuantityText {
  readonly label: string;
  readonly isInBytes: boolean;
  /** Beside the label. */
  readonly text: (amount: number) => string;
  /** In a sentence. */
  readonly longText: (amount: number) => string;
  /** To the last one. */
  readonly exactText: (amount: number) => string;
}

const IN_BYTES = {
  isInBytes: true,
  text: bytesText,
  longText: bytesText,
  exactText: (bytes: number) => plural(bytes, 'byte'),
};

const requestsText = (count: number) => plural(count, 'request');

export const QUANTITIES: Readonly<Record<Quantity, QuantityText>> = {
  requests: {
    label: 'Requests',
    isInBytes: false,
    text: countText,
    longText: requestsText,
    exactText: requestsText,
  },
  data_scanned: { label: 'Data scanned', ...IN_BYTES },
  data_returned: { label: 'Data returned', ...IN_BYTES },
};

export const QUANTITY_NAMES = Object.keys(QUANTITIES) as readonly Quantity[];

export function ofEachQuantity<T>(make: (quantity: Quantity) => T): Record<Quantity, T> {
  const entries = QUANTITY_NAMES.map((quantity) => [quantity, make(quantity)]);
  return Object.fromEntries(entries) as Record<Quantity, T>;
}
