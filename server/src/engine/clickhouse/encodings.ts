/** How each type of column is stored: as types that every release of ClickHouse has, and exactly. Pure. */
import type { Column, DataType } from '../../catalog/dataset.ts';

/** `units` are decimals of more digits than 64 bits hold, as 16 bytes that sort like them. */
export type Encoding =
  | 'integer'
  | 'number'
  | 'days'
  | 'flag'
  | 'text'
  | 'units'
  | 'texts'
  | 'integers'
  | 'numbers';

type Typed = Pick<Column, 'dataType' | 'precision'>;

/** Digits of decimals that 64 bits hold whatever they are. */
const SHORT_DIGITS = 18;

const ENCODINGS: Readonly<Record<Exclude<DataType, 'decimal'>, Encoding>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'flag',
  date: 'days',
  'date-time': 'integer',
  'array of string': 'texts',
  'array of integer': 'integers',
  'array of number': 'numbers',
};

export function encodingOf({ dataType, precision = 0 }: Typed): Encoding {
  if (dataType !== 'decimal') return ENCODINGS[dataType];
  return precision <= SHORT_DIGITS ? 'integer' : 'units';
}

/** An array lies in another one, which has no item where the value is null. */
export const ENCODING_TYPES: Readonly<Record<Encoding, string>> = {
  integer: 'Nullable(Int64)',
  number: 'Nullable(Float64)',
  days: 'Nullable(Int32)',
  flag: 'Nullable(UInt8)',
  text: 'Nullable(String)',
  units: 'Nullable(String)',
  texts: 'Array(Array(String))',
  integers: 'Array(Array(Int64))',
  numbers: 'Array(Array(Float64))',
};

export function isList(encoding: Encoding): boolean {
  return ENCODING_TYPES[encoding].startsWith('Array');
}

const LANE_BITS = 64;
const LANE_BYTES = 8;
/** Turns the order of signed numbers into that of unsigned ones. */
const SIGN = 1n << 127n;

/** 16 bytes, whose order is that of the numbers. */
export function bytesOfUnits(units: bigint): Buffer {
  const bytes = Buffer.alloc(2 * LANE_BYTES);
  const shifted = units + SIGN;
  bytes.writeBigUInt64BE(shifted >> BigInt(LANE_BITS), 0);
  bytes.writeBigUInt64BE(BigInt.asUintN(LANE_BITS, shifted), LANE_BYTES);
  return bytes;
}

export function unitsOfBytes(bytes: Buffer): bigint {
  const upper = bytes.readBigUInt64BE(0);
  return ((upper << BigInt(LANE_BITS)) | bytes.readBigUInt64BE(LANE_BYTES)) - SIGN;
}
