/** Values as text, read by their type: exactly, or not at all. */
import type { DataType } from './named-types.ts';

/**
 * Integers and times are `bigint`, times in nanoseconds since 1970 in UTC; decimals are text, with
 * all their digits; dates are `YYYY-MM-DD`.
 */
export type Scalar = string | number | bigint | boolean | null;
export type Value = Scalar | readonly Scalar[];
export type Row = Readonly<Record<string, Value>>;

export type ReadValue = (text: string) => Value;

const NANOS = 1_000_000_000n;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Times of one minute follow one another, so the last one is remembered. */
function timeReader(): ReadValue {
  let [lastMinute, lastOffset] = ['', ''];
  let startNanos = 0n;
  return (text) => {
    const [, minute = '', second = '', fraction = '', offset = ''] = TIME.exec(text) ?? [];
    if (minute === '') throw new SyntaxError(`'${text}' is no time`);
    if (minute !== lastMinute || offset !== lastOffset) {
      startNanos = BigInt(Date.parse(`${minute}:00${offset}`) / 1000) * NANOS;
      [lastMinute, lastOffset] = [minute, offset];
    }
    return startNanos + BigInt(Number(second) * 1e9 + Number(fraction.padEnd(9, '0')));
  };
}

function readNumber(text: string): number {
  const value = Number(text);
  if (text === '' || Number.isNaN(value)) throw new SyntaxError(`'${text}' is no number`);
  return value;
}

function readBoolean(text: string): boolean {
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw new SyntaxError(`'${text}' is neither true nor false`);
}

/** JSON's own reader would make doubles of them. */
function readIntegers(text: string): readonly (bigint | null)[] {
  const inner = text.slice(1, -1).trim();
  if (inner === '') return [];
  return inner.split(',').map((item) => (item.trim() === 'null' ? null : BigInt(item)));
}

const readText: ReadValue = (text) => text;
const readArray: ReadValue = (text) => JSON.parse(text) as Scalar[];

/** Each call makes a reader for one column. */
const READERS: Readonly<Record<DataType, () => ReadValue>> = {
  string: () => readText,
  integer: () => BigInt,
  number: () => readNumber,
  decimal: () => readText,
  boolean: () => readBoolean,
  date: () => readText,
  'date-time': timeReader,
  'array of string': () => readArray,
  'array of integer': () => readIntegers,
  'array of number': () => readArray,
};

export function valueReader(dataType: DataType): ReadValue {
  return READERS[dataType]();
}
