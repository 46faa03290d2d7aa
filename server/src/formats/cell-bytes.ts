/**
 * One value as bytes of text, the same in every format: dates `YYYY-MM-DD`, times ISO-8601 with
 * the market's offset at that moment, numbers as the shortest decimal that reads back, without
 * exponent. 64-bit integers come as two halves of 32 bits, the low one with or without its sign:
 * a BigInt for each value would cost more than its digits.
 */

import { DAY_MS, dateOfDays } from '../engine/columns.ts';
import { decimalText } from '../engine/decimals.ts';
import {
  floorSeconds,
  NANOS_PER_SECOND,
  offsetIntervalAt,
  offsetText,
} from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type ByteSink, joinedText, NO_TEXT, type Text, textOf } from './byte-sink.ts';

/** Bytes that a value needs at most: a quoted time with nine digits and offset. */
export const CELL_BYTES_MAX = 40;

const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const TWO_32 = 2 ** 32;

/** The digits of 00 to 99 and of 000 to 999. */
const PAIRS = digitTable(2);
const TRIPLES = digitTable(3);

function digitTable(digits: number): Uint8Array {
  const texts = Array.from({ length: 10 ** digits }, (_, i) => String(i).padStart(digits, '0'));
  return new Uint8Array(Buffer.from(texts.join('')));
}

function digitCount(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1_000_000) return value < 100_000 ? 5 : 6;
  if (value < 100_000_000) return value < 10_000_000 ? 7 : 8;
  return value < 1_000_000_000 ? 9 : 10;
}

/** An integer from 0 to 2^31 - 1 in exactly `count` digits, with leading zeros. */
function writeDigits(sink: ByteSink, value: number, count: number): void {
  const { bytes } = sink;
  let rest = value | 0;
  let end = sink.at + count;
  sink.at = end;
  for (let left = count; left >= 2; left -= 2) {
    const quotient = (rest / 100) | 0;
    const pair = (rest - quotient * 100) * 2;
    bytes[--end] = PAIRS[pair + 1] as number;
    bytes[--end] = PAIRS[pair] as number;
    rest = quotient;
  }
  if (count % 2 === 1) bytes[end - 1] = ZERO + rest;
}

/** An integer from 0 to 2^53 - 1. */
function writeWhole(sink: ByteSink, value: number): void {
  if (value <= 0x7fffffff) {
    writeDigits(sink, value, digitCount(value));
    return;
  }
  const high = Math.floor(value / 1e8);
  writeDigits(sink, high, digitCount(high));
  writeDigits(sink, value - high * 1e8, 8);
}

/** Avoids BigInt for values of up to 53 bits, which a double holds exactly. */
export function writeInteger(sink: ByteSink, low: number, high: number): void {
  const value = high * TWO_32 + (low >>> 0);
  const size = Math.abs(value);
  if (size > Number.MAX_SAFE_INTEGER) {
    sink.copyAscii(`${bigintOf(low, high)}`);
    return;
  }
  if (value < 0) sink.bytes[sink.at++] = MINUS;
  writeWhole(sink, size);
}

function bigintOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** Shortest decimal of a finite double, in plain notation. */
export function numberText(value: number): string {
  const text = String(value);
  const exponentAt = text.indexOf('e');
  return exponentAt === -1 ? text : plainDecimal(text, exponentAt);
}

/** Moves the point of `d.ddde±x` by hand: the digits stay those of the shortest form. */
function plainDecimal(text: string, exponentAt: number): string {
  const exponent = Number(text.slice(exponentAt + 1));
  const sign = text.startsWith('-') ? '-' : '';
  const [whole, fraction = ''] = text.slice(sign.length, exponentAt).split('.');
  const digits = `${whole}${fraction}`;
  const pointAt = 1 + exponent;
  return pointAt <= 0
    ? `${sign}0.${'0'.repeat(-pointAt)}${digits}`
    : `${sign}${digits.padEnd(pointAt, '0')}`;
}

/**
 * Writes a double if it is `n / 100`, `n / 10^6` or `n / 10^9` of a whole `n` of at most 15 digits,
 * as prices and seconds are, and tells whether it did. That decimal is the shortest one that reads
 * back: another one as short would have at most 15 digits too, and no two such decimals are the
 * same double.
 */
export function writeShortDecimal(sink: ByteSink, value: number): boolean {
  return (
    writeFixed(sink, value, 100, 2) ||
    writeFixed(sink, value, 1e6, 6) ||
    writeFixed(sink, value, 1e9, 9)
  );
}

/** Decimals of at most 15 digits are all different as doubles. */
const UNIQUE_BELOW = 1e15;

/** Writes a value with up to `digits` decimals, without zeros at its end, if that is exact. */
function writeFixed(sink: ByteSink, value: number, scale: number, digits: number): boolean {
  const size = Math.abs(value);
  const scaled = Math.round(size * scale);
  if (scaled / scale !== size || scaled >= UNIQUE_BELOW) return false;
  const { bytes } = sink;
  if (value < 0) bytes[sink.at++] = MINUS;
  const whole = Math.floor(scaled / scale);
  writeWhole(sink, whole);
  writeFraction(sink, scaled - whole * scale, digits);
  return true;
}

/** The point and so many digits after it, without zeros at the end; nothing of a fraction of 0. */
function writeFraction(sink: ByteSink, fraction: number, digits: number): void {
  if (fraction === 0) return;
  const { bytes } = sink;
  bytes[sink.at++] = POINT;
  writeDigits(sink, fraction, digits);
  while (bytes[sink.at - 1] === ZERO) sink.at--;
}

/** More digits than this do not fit into 32 bits. */
const FRACTION_DIGITS_MAX = 9;
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** Writes a decimal, given in units of its last digit. Most are of few digits. */
export function writeDecimal(sink: ByteSink, units: bigint, scale: number): void {
  if (scale > FRACTION_DIGITS_MAX || units > SAFE_MAX || units < -SAFE_MAX) {
    const text = decimalText(units, scale);
    sink.makeRoom(text.length);
    sink.copyAscii(text);
    return;
  }
  const value = Number(units);
  const size = Math.abs(value);
  if (value < 0) sink.bytes[sink.at++] = MINUS;
  const unitsOfOne = 10 ** scale;
  const whole = Math.floor(size / unitsOfOne);
  writeWhole(sink, whole);
  writeFraction(sink, size - whole * unitsOfOne, scale);
}

/** The days of a month, which differ by two digits alone. */
interface Month {
  readonly firstDay: number;
  readonly endDay: number;
  /** One of its days, with the quotes and what comes before them. */
  readonly text: Text;
}

const NO_MONTH: Month = { firstDay: 0, endDay: 0, text: NO_TEXT };

/** Digits of `2025-06-18` before the day. */
const DAY_AT = 8;

function monthAround(quote: string, before: Text, days: number): Month {
  const date = new Date(days * DAY_MS);
  const firstDay = days - date.getUTCDate() + 1;
  date.setUTCMonth(date.getUTCMonth() + 1, 0);
  return {
    firstDay,
    endDay: firstDay + date.getUTCDate(),
    text: joinedText(before, textOf(`${quote}${dateOfDays(days)}${quote}`)),
  };
}

/** Writes days since 1970-01-01; caches the month, since each daily bar has another day. */
export function dateWriter(
  quote: string,
  before: Text = NO_TEXT,
): (sink: ByteSink, days: number) => void {
  const dayOffset = before.length + quote.length + DAY_AT;
  let month = NO_MONTH;
  return (sink, days) => {
    if (days < month.firstDay || days >= month.endDay) month = monthAround(quote, before, days);
    const dayAt = sink.at + dayOffset;
    sink.copy(month.text);
    writePair(sink.bytes, dayAt, days - month.firstDay + 1);
  };
}

/** A stretch of one local day and one offset: within it, times differ by the clock alone. */
interface Stretch {
  readonly startLow: number;
  readonly startHigh: number;
  readonly nanos: number;
  /** Local second of the day at its start. */
  readonly startSecond: number;
  /** A time of that day, with the quotes and what comes before them. */
  readonly text: Text;
}

const DAY_SECONDS = 86_400;

function stretchAround(
  zone: TimeZone,
  fractionDigits: 0 | 9,
  quote: string,
  before: Text,
  nanos: bigint,
): Stretch {
  const second = floorSeconds(nanos);
  const { startSeconds, endSeconds, offsetSeconds } = offsetIntervalAt(zone, second);
  const localDay = Math.floor((second + offsetSeconds) / DAY_SECONDS);
  const dayStart = localDay * DAY_SECONDS - offsetSeconds;
  const start = Math.max(dayStart, startSeconds);
  const end = Math.min(dayStart + DAY_SECONDS, endSeconds);
  const startNanos = BigInt(start) * NANOS_PER_SECOND;
  const fraction = fractionDigits === 0 ? '' : `.${'0'.repeat(fractionDigits)}`;
  const time = `${dateOfDays(localDay)}T00:00:00${fraction}${offsetText(offsetSeconds)}`;
  return {
    startLow: Number(BigInt.asUintN(32, startNanos)),
    startHigh: Number(startNanos >> 32n),
    nanos: (end - start) * 1e9,
    startSecond: start - dayStart,
    text: joinedText(before, textOf(`${quote}${time}${quote}`)),
  };
}

const NOWHERE: Stretch = {
  startLow: 0,
  startHigh: 0,
  nanos: 0,
  startSecond: 0,
  text: NO_TEXT,
};

/** Nanoseconds from the start of the stretch: exact within it, outside of it at any rate. */
function nanosInto({ startLow, startHigh }: Stretch, low: number, high: number): number {
  return (high - startHigh) * TWO_32 + ((low >>> 0) - startLow);
}

/** Digits of `2025-06-18T` before the hour, and of `09:30:00.` before the fraction. */
const HOUR_AT = 11;
const FRACTION_AT = 9;

/** Writes UTC nanoseconds on the market's clock, with 9 or 0 digits after the second. */
export function timeWriter(
  zone: TimeZone,
  fractionDigits: 0 | 9,
  quote: string,
  before: Text = NO_TEXT,
): (sink: ByteSink, low: number, high: number) => void {
  const hourOffset = before.length + quote.length + HOUR_AT;
  let stretch = NOWHERE;
  return (sink, low, high) => {
    let nanos = nanosInto(stretch, low, high);
    if (nanos < 0 || nanos >= stretch.nanos) {
      stretch = stretchAround(zone, fractionDigits, quote, before, bigintOf(low, high));
      nanos = nanosInto(stretch, low, high);
    }
    const hourAt = sink.at + hourOffset;
    sink.copy(stretch.text);
    const second = Math.floor(nanos / 1e9);
    writeClock(sink.bytes, hourAt, stretch.startSecond + second);
    if (fractionDigits === 9) {
      writeNanos(sink.bytes, hourAt + FRACTION_AT, nanos - second * 1e9);
    }
  };
}

/** `HH:MM:SS` over a text that has its colons. */
function writeClock(bytes: Uint8Array, at: number, secondOfDay: number): void {
  const minutes = (secondOfDay / 60) | 0;
  const hour = (minutes / 60) | 0;
  writePair(bytes, at, hour);
  writePair(bytes, at + 3, minutes - hour * 60);
  writePair(bytes, at + 6, secondOfDay - minutes * 60);
}

function writePair(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = PAIRS[value * 2] as number;
  bytes[at + 1] = PAIRS[value * 2 + 1] as number;
}

function writeNanos(bytes: Uint8Array, at: number, nanos: number): void {
  const micros = (nanos / 1000) | 0;
  const millis = (micros / 1000) | 0;
  writeTriple(bytes, at, millis);
  writeTriple(bytes, at + 3, micros - millis * 1000);
  writeTriple(bytes, at + 6, nanos - micros * 1000);
}

function writeTriple(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = TRIPLES[value * 3] as number;
  bytes[at + 1] = TRIPLES[value * 3 + 1] as number;
  bytes[at + 2] = TRIPLES[value * 3 + 2] as number;
}
