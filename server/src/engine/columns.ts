/**
 * Rows in columns: the form in which rows pass between the engine, the renderers and the loaders.
 * Times are nanoseconds since 1970-01-01T00:00:00Z as 64-bit integers, dates are days since then.
 */
import type { Moments } from '@ticklake/market/row-sources.ts';
import { DECIMAL_DIGITS_MAX, type DecimalDigits } from '../catalog/column-types.ts';
import type { Column } from '../catalog/dataset.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import { parseDecimal } from './decimals.ts';
import { NO_CODE, type TextCodes } from './text-codes.ts';

/** Which rows have a value; the one beneath a null is undefined. */
export interface Mask {
  /** `nulls[i]` is 1 where row i has no value. Null: every row has one. */
  readonly nulls: Uint8Array | null;
  /**
   * As the engine has it, if it does: bit i, of each byte the lowest first, is 1 where row
   * i has a value. Null: every row has one.
   */
  readonly validBits?: Uint8Array | null;
}
export interface IntegerVector extends Mask {
  readonly type: 'integer' | 'date-time';
  readonly values: BigInt64Array;
}
export interface NumberVector extends Mask {
  readonly type: 'number';
  readonly values: Float64Array;
}
export interface DateVector extends Mask {
  readonly type: 'date';
  readonly values: Int32Array;
}
export interface StringVector {
  readonly type: 'string';
  readonly values: readonly (string | null)[];
  /**
   * Writes the codes of the rows from `first` up to `end` into `target` from `at` on, `NO_CODE`
   * where there is no text: where an engine can do so without making strings.
   */
  writeCodes?(codes: TextCodes, target: Int32Array, at: number, first: number, end: number): void;
}
/** In units of the last digit that the column has. */
export interface DecimalVector {
  readonly type: 'decimal';
  readonly values: readonly (bigint | null)[];
}
export type ColumnVector =
  | IntegerVector
  | NumberVector
  | DateVector
  | StringVector
  | DecimalVector
  | { readonly type: 'boolean'; readonly values: readonly (boolean | null)[] }
  | { readonly type: 'array of string'; readonly values: readonly (readonly string[] | null)[] }
  | { readonly type: 'array of integer'; readonly values: readonly (readonly bigint[] | null)[] }
  | { readonly type: 'array of number'; readonly values: readonly (readonly number[] | null)[] };

/** As `StringVector.writeCodes` does, of any vector. */
export function writeCodes(
  vector: StringVector,
  codes: TextCodes,
  target: Int32Array,
  at: number,
  first: number,
  end: number,
): void {
  if (vector.writeCodes) {
    vector.writeCodes(codes, target, at, first, end);
    return;
  }
  let last: string | null = null;
  let code = NO_CODE;
  for (let row = first; row < end; row++) {
    const text = vector.values[row] ?? null;
    if (text !== last) code = text === null ? NO_CODE : codes.codeOf(text);
    last = text;
    target[at + row - first] = code;
  }
}

/** Vectors whose nulls stand among their values. */
export type ListedVector = Exclude<ColumnVector, IntegerVector | NumberVector | DateVector>;

export interface ColumnBatch {
  readonly rowCount: number;
  readonly columns: readonly ColumnVector[];
  /** On the first batch: the scan's number of rows, if known. */
  readonly scanRowCount?: number;
  /**
   * Gives back the memory of the vectors, which nobody reads any more, where an engine can do so
   * before the runtime collects its garbage.
   */
  release?(): void;
}

/**
 * One value as a program writes it: integer and date-time as bigint (or a safe integer number),
 * number as number, decimal as bigint in units of its last digit, date as `YYYY-MM-DD` or as days,
 * boolean, string, array of strings, of bigints or of numbers, or null.
 */
export type CellValue =
  | string
  | number
  | bigint
  | boolean
  | readonly string[]
  | readonly bigint[]
  | readonly number[]
  | null;

export const DAY_MS = 86_400_000;

/** Days since 1970-01-01 of a `YYYY-MM-DD` that is known to be valid. */
export function daysOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

/** The value of a column in a row of its batch; null where there is none. */
export function cellAt(vector: ColumnVector, row: number): CellValue {
  if ('nulls' in vector && vector.nulls?.[row]) return null;
  return (vector.values[row] as CellValue) ?? null;
}

/** Makes something of each row by its cells; null: no value, or no such column. */
export function mapRows<Name extends string, T>(
  columns: readonly Pick<Column, 'name'>[],
  batch: ColumnBatch,
  make: (cell: (name: Name) => CellValue) => T,
): T[] {
  const vectors = new Map(columns.map(({ name }, c) => [name, batch.columns[c]]));
  return Array.from({ length: batch.rowCount }, (_, row) =>
    make((name) => {
      const vector = vectors.get(name);
      return vector ? cellAt(vector, row) : null;
    }),
  );
}

/** `YYYY-MM-DD` of days since 1970-01-01. */
export function dateOfDays(days: number): string {
  return new Date(days * DAY_MS).toISOString().slice(0, 10);
}

const NOON_NANOS = 43_200_000_000_000n;
const TWO_POW_32 = 4_294_967_296;

/** The values of one column of a batch in the making. */
export abstract class Cells {
  /** Writes values from a row on; NaN is null. Throws for columns that hold no numbers. */
  fillNumbers(_at: number, _numbers: Float64Array): void {
    throw new Error('values of such a column come as cells');
  }

  /** Writes one value, which is not null. */
  protected abstract put(row: number, value: CellValue): void;
  protected abstract putNull(row: number): void;
  abstract vector(rowCount: number): ColumnVector;
  /** Makes room for other values in the memory of a vector that nobody reads any more. */
  abstract clear(): void;

  set(row: number, value: CellValue): void {
    if (value === null) this.putNull(row);
    else this.put(row, value);
  }
}

/** Values beside a mask of nulls. */
abstract class MaskedCells<Values extends BigInt64Array | Float64Array | Int32Array> extends Cells {
  protected readonly values: Values;
  readonly #type: ColumnVector['type'];
  #nulls: Uint8Array | null = null;
  #hasNulls = false;

  constructor(type: ColumnVector['type'], values: Values) {
    super();
    this.#type = type;
    this.values = values;
  }

  protected putNull(row: number): void {
    this.#nulls ??= new Uint8Array(this.values.length);
    this.#nulls[row] = 1;
    this.#hasNulls = true;
  }

  clear(): void {
    if (this.#hasNulls) this.#nulls?.fill(0);
    this.#hasNulls = false;
  }

  vector(rowCount: number): ColumnVector {
    const nulls = (this.#hasNulls && this.#nulls?.subarray(0, rowCount)) || null;
    const values = this.values.subarray(0, rowCount);
    return { type: this.#type, values, nulls } as ColumnVector;
  }
}

/** 64-bit integers, written as pairs of 32-bit halves: a bigint for each value is far slower. */
export class IntegerCells extends MaskedCells<BigInt64Array> {
  readonly #halves = new DataView(this.values.buffer);

  override fillNumbers(at: number, numbers: Float64Array): void {
    this.#fill(at, numbers, 0, 0);
  }

  fillMoments(at: number, { zone, date, nanosOfDay }: Moments): void {
    // The offset of noon holds at all times of the day at which markets are open.
    const midnight = utcOfMarketTime(zone, date, NOON_NANOS) - NOON_NANOS;
    const high = Number(midnight >> 32n);
    this.#fill(at, nanosOfDay, high, Number(midnight & 0xffff_ffffn));
  }

  /** Writes each number plus `baseHigh` * 2^32 + `baseLow`. */
  #fill(at: number, numbers: Float64Array, baseHigh: number, baseLow: number): void {
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] as number;
      if (Number.isNaN(number)) {
        this.putNull(at + i);
        continue;
      }
      const high = Math.floor(number / TWO_POW_32);
      const low = number - high * TWO_POW_32 + baseLow;
      const carry = low >= TWO_POW_32 ? 1 : 0;
      const offset = (at + i) * 8;
      this.#halves.setUint32(offset, low - carry * TWO_POW_32, true);
      this.#halves.setInt32(offset + 4, high + baseHigh + carry, true);
    }
  }

  protected put(row: number, value: CellValue): void {
    this.values[row] = typeof value === 'bigint' ? value : BigInt(value as number);
  }
}

class NumberCells extends MaskedCells<Float64Array> {
  override fillNumbers(at: number, numbers: Float64Array): void {
    this.values.set(numbers, at);
    for (let i = 0; i < numbers.length; i++) if (Number.isNaN(numbers[i])) this.putNull(at + i);
  }

  protected put(row: number, value: CellValue): void {
    this.values[row] = value as number;
  }
}

class DateCells extends MaskedCells<Int32Array> {
  protected put(row: number, value: CellValue): void {
    this.values[row] = typeof value === 'number' ? value : daysOfDate(value as string);
  }
}

class ListedCells extends Cells {
  readonly #type: ListedVector['type'];
  readonly #values: CellValue[] = [];

  constructor(type: ListedVector['type']) {
    super();
    this.#type = type;
  }

  protected put(row: number, value: CellValue): void {
    this.#values[row] = value;
  }

  protected putNull(row: number): void {
    this.#values[row] = null;
  }

  clear(): void {
    this.#values.length = 0;
  }

  vector(): ColumnVector {
    return { type: this.#type, values: this.#values } as ColumnVector;
  }
}

/** Decimals: a bigint is in units of the last digit, a number the value itself. */
class DecimalCells extends ListedCells {
  readonly #digits: DecimalDigits;

  constructor(digits: DecimalDigits) {
    super('decimal');
    this.#digits = digits;
  }

  override fillNumbers(at: number, numbers: Float64Array): void {
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] as number;
      this.set(at + i, Number.isNaN(number) ? null : number);
    }
  }

  protected override put(row: number, value: CellValue): void {
    super.put(row, typeof value === 'number' ? this.#unitsOf(value) : value);
  }

  #unitsOf(value: number): bigint {
    const { precision, scale } = this.#digits;
    const units = Number.isSafeInteger(value)
      ? BigInt(value) * 10n ** BigInt(scale)
      : parseDecimal(`${value}`, this.#digits);
    if (units !== null) return units;
    throw new Error(`${value} does not fit into decimal(${precision}, ${scale})`);
  }
}

/** Room for so many values of a column. */
export function cellsOf(
  {
    dataType,
    precision = DECIMAL_DIGITS_MAX,
    scale = 0,
  }: Pick<Column, 'dataType' | 'precision' | 'scale'>,
  capacity: number,
): Cells {
  switch (dataType) {
    case 'integer':
    case 'date-time':
      return new IntegerCells(dataType, new BigInt64Array(capacity));
    case 'number':
      return new NumberCells(dataType, new Float64Array(capacity));
    case 'date':
      return new DateCells(dataType, new Int32Array(capacity));
    case 'decimal':
      return new DecimalCells({ precision, scale });
    default:
      return new ListedCells(dataType);
  }
}

/** The batch of the given rows; each row holds one cell for each column, in that order. */
export function batchOfRows(
  columns: readonly Column[],
  rows: readonly (readonly CellValue[])[],
): ColumnBatch {
  const vectors = columns.map((column, c) => {
    const cells = cellsOf(column, rows.length);
    for (let r = 0; r < rows.length; r++) cells.set(r, rows[r]?.[c] as CellValue);
    return cells.vector(rows.length);
  });
  return { rowCount: rows.length, columns: vectors };
}

function cutVector(vector: ColumnVector, start: number, end: number): ColumnVector {
  const nulls = 'nulls' in vector && { nulls: vector.nulls?.slice(start, end) ?? null };
  return { type: vector.type, values: vector.values.slice(start, end), ...nulls } as ColumnVector;
}

/** The rows of a batch from `start` up to `end`, in memory of their own. */
export function cutRows({ columns }: ColumnBatch, start: number, end: number): ColumnBatch {
  return { rowCount: end - start, columns: columns.map((each) => cutVector(each, start, end)) };
}

function takeValues(vector: ColumnVector, rows: readonly number[]): ColumnVector {
  if (!('nulls' in vector)) {
    return { type: vector.type, values: rows.map((row) => vector.values[row]) } as ColumnVector;
  }
  const { type, nulls } = vector;
  const values = vector.values.slice(0, rows.length);
  for (const [i, row] of rows.entries()) values[i] = vector.values[row] as never;
  const taken = nulls && Uint8Array.from(rows, (row) => nulls[row] as number);
  return { type, values, nulls: taken } as ColumnVector;
}

/** Some rows of a batch, in the order of their numbers, which ascend. */
export function takeRows({ columns }: ColumnBatch, rows: readonly number[]): ColumnBatch {
  return { rowCount: rows.length, columns: columns.map((vector) => takeValues(vector, rows)) };
}
