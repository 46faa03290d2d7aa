/** The values of LEAN's text files. Each reader names the field that it could not read. */
import { daysOfDate } from '../../engine/columns.ts';

export class BadField extends Error {
  readonly field: string | null;
  readonly value: string;
  /** Says what the value should be: `a whole number from 0 on`. */
  readonly reason: string;

  /** `field` null: the line as a whole is not a row. */
  constructor(field: string | null, value: string, reason: string) {
    super(`${field ?? 'the line'} ${value} is not ${reason}`);
    this.name = 'BadField';
    this.field = field;
    this.value = value;
    this.reason = reason;
  }
}

const INTEGER = /^\d{1,15}(?:\.0+)?$/;
const DECIMAL = /^\d{1,15}(?:\.\d{1,20})?$/;
const MILLISECONDS = /^(\d{1,8})(\.\d{1,12})?$/;
const HEX_MASK = /^[0-9a-fA-F]{1,8}$/;
const COMPACT_DATE = /^(\d{4})(\d\d)(\d\d)$/;
const NANOS_PER_MILLISECOND = 1_000_000;
const NANOS_PER_DAY = 86_400_000 * NANOS_PER_MILLISECOND;

/** Throws unless the line has exactly `count` fields. */
export function expectFields(fields: readonly string[], count: number): void {
  if (fields.length !== count) {
    throw new BadField(null, fields.join(','), `a row with ${count} fields`);
  }
}

export function integerField(field: string, text: string): number {
  if (!INTEGER.test(text)) throw new BadField(field, text, 'a whole number, 0 or more');
  return Number(text);
}

/** A price or factor as it is written. */
export function decimalField(field: string, text: string): number {
  if (!DECIMAL.test(text)) throw new BadField(field, text, 'a decimal number, 0 or more');
  return Number(text);
}

/** Dollars of a price in ten-thousandths: the double nearest to the exact decimal. */
export function scaledPriceField(field: string, text: string): number {
  if (!DECIMAL.test(text)) throw new BadField(field, text, 'a price in dollars times 10000');
  return Number(`${text}e-4`);
}

/** How a file writes its prices. */
export type PriceField = (field: string, text: string) => number;

/** Nanoseconds since midnight of milliseconds, which may have decimals. */
export function timeField(text: string): number {
  const match = MILLISECONDS.exec(text);
  const whole = Number(match?.[1] ?? Number.NaN) * NANOS_PER_MILLISECOND;
  const nanos = whole + Math.round(Number(match?.[2] ?? 0) * NANOS_PER_MILLISECOND);
  if (!(nanos < NANOS_PER_DAY)) {
    throw new BadField('time', text, 'a time of day in milliseconds, 0 to 86399999');
  }
  return nanos;
}

/** A mask of condition bits, written in hexadecimal; empty for none. */
export function conditionField(text: string): number {
  if (text === '') return 0;
  if (!HEX_MASK.test(text)) {
    throw new BadField('conditions', text, 'a 32-bit mask in hexadecimal');
  }
  return Number.parseInt(text, 16);
}

export function suspiciousField(text: string): boolean {
  if (text !== '0' && text !== '1') throw new BadField('suspicious', text, '0 or 1');
  return text === '1';
}

/** `YYYY-MM-DD` of a `YYYYMMDD` that exists in the calendar, or null. */
export function dateOfCompact(text: string): string | null {
  const match = COMPACT_DATE.exec(text);
  if (!match) return null;
  const date = `${match[1]}-${match[2]}-${match[3]}`;
  const days = daysOfDate(date);
  const exists = Number.isInteger(days) && new Date(date).toISOString().startsWith(date);
  return exists ? date : null;
}

export function dateField(text: string): string {
  const date = dateOfCompact(text);
  if (date === null) throw new BadField('date', text, 'a date YYYYMMDD that exists');
  return date;
}
