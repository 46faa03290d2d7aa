/** How the text of a filter value becomes a value of the column's type. */
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, DataType } from '../catalog/dataset.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import { decimalText, parseDecimal } from '../engine/decimals.ts';
import { OPERATORS, type Operator } from '../engine/operators.ts';
import type { BoundValue } from '../engine/part.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { NANOS_PER_DAY, NANOS_PER_SECOND, utcOfLocalNanos } from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';

export interface LiteralRule {
  /** The type's name in error messages. */
  readonly label: string;
  readonly problemType: string;
  /** The accepted form, quoted in docs/queries.md. */
  readonly accepts: string;
  /** Null when the text is no value of the type, or may mean several to the operator. */
  parse(text: string, zone: TimeZone, operator: Operator, column: Column): BoundValue | null;
  /**
   * The one text of a value, which is read back as the same value whatever the zone and the
   * operator.
   */
  textOf(value: BoundValue, column: Column): string;
}

const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 63n - 1n;
const INTEGER = /^-?\d+$/;
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([-+ ])(\d\d):(\d\d))?$/;

/** A 64-bit integer, or null. */
export function parseInteger(text: string): bigint | null {
  if (!INTEGER.test(text)) return null;
  const value = BigInt(text);
  return value < INTEGER_MIN || value > INTEGER_MAX ? null : value;
}

function parseNumber(text: string): number | null {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value + 0 : null;
}

function secondsOfClock(hours: string, minutes: string, seconds: string): number | null {
  const isClock = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  return isClock ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) : null;
}

/** UTC nanoseconds. An unescaped `+` of the offset has been read as a space. */
export function parseDateTime(text: string, zone: TimeZone, operator: Operator): bigint | null {
  if (OPERATORS[operator].takesDatesAsTimes && isCalendarDate(text)) {
    return utcOfLocalNanos(zone, BigInt(daysOfDate(text)) * NANOS_PER_DAY);
  }
  const match = DATE_TIME.exec(text);
  if (!match) return null;
  const [, date, hours, minutes, seconds, fraction, utc, sign, aheadHours, aheadMinutes] =
    match as unknown as string[];
  if (!isCalendarDate(date as string)) return null;
  const ofDay = secondsOfClock(hours as string, minutes as string, seconds ?? '00');
  const ahead = secondsOfClock(aheadHours ?? '00', aheadMinutes ?? '00', '00');
  if (ofDay === null || ahead === null) return null;
  const localNanos =
    BigInt(daysOfDate(date as string)) * NANOS_PER_DAY +
    BigInt(ofDay) * NANOS_PER_SECOND +
    BigInt((fraction ?? '').padEnd(9, '0'));
  if (utc) return localNanos;
  if (!sign) return utcOfLocalNanos(zone, localNanos);
  return localNanos - BigInt(sign === '-' ? -ahead : ahead) * NANOS_PER_SECOND;
}

const TEXT: LiteralRule = {
  label: 'String',
  problemType: 'string_type',
  accepts: 'any text, including empty text',
  parse: (text) => text,
  textOf: String,
};

const INTEGER_RULE: LiteralRule = {
  label: 'Integer',
  problemType: 'int_parsing',
  accepts: 'a 64-bit whole number, such as 1010000000001033',
  parse: parseInteger,
  textOf: String,
};

const NUMBER_RULE: LiteralRule = {
  label: 'Number',
  problemType: 'float_parsing',
  accepts: 'a decimal number, such as 189.25, -3 or 1e-4',
  parse: parseNumber,
  textOf: String,
};

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** By the type of the column; of an array, an element is read. */
export const LITERALS: Readonly<Record<DataType, LiteralRule>> = {
  string: TEXT,
  'array of string': TEXT,
  integer: INTEGER_RULE,
  'array of integer': INTEGER_RULE,
  number: NUMBER_RULE,
  'array of number': NUMBER_RULE,
  decimal: {
    label: 'Decimal',
    problemType: 'decimal_parsing',
    accepts:
      'a decimal number without exponent, of no more digits than the column has, such as 189.25',
    parse: (text, _zone, _operator, column) => parseDecimal(text, decimalDigits(column)),
    textOf: (value, column) => decimalText(value as bigint, decimalDigits(column).scale),
  },
  boolean: {
    label: 'Boolean',
    problemType: 'bool_parsing',
    accepts: 'true or false',
    parse: (text) => (Object.hasOwn(BOOLEANS, text) ? (BOOLEANS[text] as boolean) : null),
    textOf: String,
  },
  date: {
    label: 'Date',
    problemType: 'date_parsing',
    accepts: 'YYYY-MM-DD, a calendar date from 1900 to 2199',
    parse: (text) => (isCalendarDate(text) ? text : null),
    textOf: String,
  },
  'date-time': {
    label: 'DateTime',
    problemType: 'datetime_parsing',
    accepts:
      'YYYY-MM-DDTHH:MM, optionally with seconds, up to nine fraction digits and an offset; ' +
      'for ge and lt also YYYY-MM-DD',
    parse: parseDateTime,
    textOf: (value) =>
      Temporal.Instant.fromEpochNanoseconds(BigInt(value)).toString({
        fractionalSecondDigits: 9,
      }),
  },
};

const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
/** Limits of date arithmetic, so that its results stay ten characters long. */
const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

/** In place of a trade date: the last one of the dataset that the account may read. */
export const LATEST = 'latest';

/** JSON Schema pattern of dates; `isCalendarDate` checks that the month has the day. */
export const DATE_PATTERN = '^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';

/** True if the text is a calendar day from 1900 to 2199. */
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
  if (sum < daysOfDate(FIRST_DAY)) return FIRST_DAY;
  return sum > daysOfDate(LAST_DAY) ? LAST_DAY : dateOfDays(sum);
}

export function datesOf({ start, end }: DateSpan): string[] {
  const dates: string[] = [];
  for (let date = start; date <= end; date = addDays(date, 1)) dates.push(date);
  return dates;
}

/** The day that many years later; 29 February becomes 28 February where necessary. */
export function addYears(date: string, years: number): string {
  const year = Number(date.slice(0, 4)) + years;
  if (year < 1) return FIRST_DAY;
  if (year > 9999) return LAST_DAY;
  return Temporal.PlainDate.from(date).add({ years }).toString();
}

type PeriodUnit = 'Y' | 'W' | 'D';

export interface Period {
  readonly count: number;
  readonly unit: PeriodUnit;
}

export const PERIOD_PATTERN = '[1-9][0-9]{0,3}(Y|W|D)';

const ADD: Readonly<Record<PeriodUnit, (date: string, count: number) => string>> = {
  Y: addYears,
  W: (date, count) => addDays(date, 7 * count),
  D: addDays,
};

/** Null when the text is no period. */
export function parsePeriod(text: string): Period | null {
  const match = new RegExp(`^${PERIOD_PATTERN}$`).exec(text);
  if (!match) return null;
  return { count: Number(text.slice(0, -1)), unit: match[1] as PeriodUnit };
}

export function formatPeriod(period: Period): string {
  return `${period.count}${period.unit}`;
}

/** `date` moved by the period: later for sign 1, earlier for sign -1. */
export function shiftByPeriod(date: string, period: Period, sign: 1 | -1): string {
  return ADD[period.unit](date, sign * period.count);
}
