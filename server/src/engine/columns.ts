/**
 * Rows in columns: the form in which rows pass between the engine, the renderers and the loaders.
 * Times are nanoseconds since 1970-01-01T00:00:00Z as 64-bit integers, dates are days since then.
 */
import type { Column, DataType } from '../catalog/dataset.ts';
import type { TextCodes } from './text-codes.ts';

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
export interface BooleanVector {
  readonly type: 'boolean';
  readonly values: readonly (boolean | null)[];
}
export interface StringArrayVector {
  readonly type: 'array of string';
  readonly values: readonly (readonly string[] | null)[];
}
export interface IntegerArrayVector {
  readonly type: 'array of integer';
  readonly values: readonly (readonly bigint[] | null)[];
}
export interface NumberArrayVector {
  readonly type: 'array of number';
  readonly values: readonly (readonly number[] | null)[];
}
export type ColumnVector =
  | IntegerVector
  | NumberVector
  | DateVector
  | StringVector
  | DecimalVector
  | BooleanVector
  | StringArrayVector
  | IntegerArrayVector
  | NumberArrayVector;

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

/** `YYYY-MM-DD` of days since 1970-01-01. */
export function dateOfDays(days: number): string {
  return new Date(days * DAY_MS).toISOString().slice(0, 10);
}

interface NullableCells<T> {
  readonly values: T;
  readonly nulls: Uint8Array | null;
}

function fill<T extends BigInt64Array | Float64Array | Int32Array>(
  values: T,
  cells: readonly CellValue[],
  set: (values: T, index: number, cell: CellValue) => void,
): NullableCells<T> {
  let nulls: Uint8Array | null = null;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as CellValue;
    if (cell === null) {
      nulls ??= new Uint8Array(cells.length);
      nulls[i] = 1;
    } else set(values, i, cell);
  }
  return { values, nulls };
}

const MAKE_VECTOR: Record<DataType, (cells: readonly CellValue[]) => ColumnVector> = {
  integer: (cells) => ({ type: 'integer', ...integers(cells) }),
  'date-time': (cells) => ({ type: 'date-time', ...integers(cells) }),
  number: (cells) => ({
    type: 'number',
    ...fill(new Float64Array(cells.length), cells, (v, i, cell) => {
      v[i] = cell as number;
    }),
  }),
  date: (cells) => ({
    type: 'date',
    ...fill(new Int32Array(cells.length), cells, (v, i, cell) => {
      v[i] = typeof cell === 'number' ? cell : daysOfDate(cell as string);
    }),
  }),
  string: listed('string'),
  decimal: listed('decimal'),
  boolean: listed('boolean'),
  'array of string': listed('array of string'),
  'array of integer': listed('array of integer'),
  'array of number': listed('array of number'),
};

function listed(type: ListedVector['type']): (cells: readonly CellValue[]) => ColumnVector {
  return (values) => ({ type, values }) as ListedVector;
}

function integers(cells: readonly CellValue[]): NullableCells<BigInt64Array> {
  return fill(new BigInt64Array(cells.length), cells, (v, i, cell) => {
    v[i] = typeof cell === 'bigint' ? cell : BigInt(cell as number);
  });
}

/** The batch of the given rows; each row holds one cell for each column, in that order. */
export function batchOfRows(
  columns: readonly Column[],
  rows: readonly (readonly CellValue[])[],
): ColumnBatch {
  const vectors = columns.map((column, c) =>
    MAKE_VECTOR[column.dataType](rows.map((row) => row[c] as CellValue)),
  );
  return { rowCount: rows.length, columns: vectors };
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
