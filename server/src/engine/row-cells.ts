/** A column's values while rows are gathered, in the vector's own memory. */
import type { Moments } from '@ticklake/market/row-sources.ts';
import type { Column } from '../catalog/dataset.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import { type CellValue, type ColumnVector, daysOfDate, type ListedVector } from './columns.ts';

const NOON_NANOS = 43_200_000_000_000n;

/** The values of one column of a batch in the making. */
export interface Cells {
  /** Writes values from a row on; NaN is null. */
  fillNumbers(at: number, numbers: Float64Array): void;
  /** Writes one value, which is not null. */
  set(row: number, value: CellValue): void;
  setNull(row: number): void;
  vector(rowCount: number): ColumnVector;
}

class NullMask {
  #mask: Uint8Array | null = null;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  set(row: number): void {
    this.#mask ??= new Uint8Array(this.#capacity);
    this.#mask[row] = 1;
  }

  of(rowCount: number): Uint8Array | null {
    return this.#mask?.subarray(0, rowCount) ?? null;
  }
}

const TWO_POW_32 = 4_294_967_296;

/** 64-bit integers, written as pairs of 32-bit halves: a bigint for each value is far slower. */
export class IntegerCells implements Cells {
  readonly #type: 'integer' | 'date-time';
  readonly #values: BigInt64Array;
  readonly #halves: DataView;
  readonly #nulls: NullMask;

  constructor(type: 'integer' | 'date-time', capacity: number) {
    this.#type = type;
    this.#values = new BigInt64Array(capacity);
    this.#halves = new DataView(this.#values.buffer);
    this.#nulls = new NullMask(capacity);
  }

  fillNumbers(at: number, numbers: Float64Array): void {
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
        this.#nulls.set(at + i);
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

  set(row: number, value: CellValue): void {
    this.#values[row] = typeof value === 'bigint' ? value : BigInt(value as number);
  }

  setNull(row: number): void {
    this.#nulls.set(row);
  }

  vector(rowCount: number): ColumnVector {
    const values = this.#values.subarray(0, rowCount);
    return { type: this.#type, values, nulls: this.#nulls.of(rowCount) };
  }
}

class NumberCells implements Cells {
  readonly #values: Float64Array;
  readonly #nulls: NullMask;

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity);
    this.#nulls = new NullMask(capacity);
  }

  fillNumbers(at: number, numbers: Float64Array): void {
    this.#values.set(numbers, at);
    for (let i = 0; i < numbers.length; i++) if (Number.isNaN(numbers[i])) this.#nulls.set(at + i);
  }

  set(row: number, value: CellValue): void {
    this.#values[row] = value as number;
  }

  setNull(row: number): void {
    this.#nulls.set(row);
  }

  vector(rowCount: number): ColumnVector {
    const values = this.#values.subarray(0, rowCount);
    return { type: 'number', values, nulls: this.#nulls.of(rowCount) };
  }
}

class DateCells implements Cells {
  readonly #values: Int32Array;
  readonly #nulls: NullMask;

  constructor(capacity: number) {
    this.#values = new Int32Array(capacity);
    this.#nulls = new NullMask(capacity);
  }

  fillNumbers(): void {
    throw new Error('dates come as cells');
  }

  set(row: number, value: CellValue): void {
    this.#values[row] = typeof value === 'number' ? value : daysOfDate(value as string);
  }

  setNull(row: number): void {
    this.#nulls.set(row);
  }

  vector(rowCount: number): ColumnVector {
    const values = this.#values.subarray(0, rowCount);
    return { type: 'date', values, nulls: this.#nulls.of(rowCount) };
  }
}

class PlainCells implements Cells {
  readonly #type: ListedVector['type'];
  readonly #values: CellValue[] = [];

  constructor(type: ListedVector['type']) {
    this.#type = type;
  }

  fillNumbers(): void {
    throw new Error(`values of ${this.#type} come as cells`);
  }

  set(row: number, value: CellValue): void {
    this.#values[row] = value;
  }

  setNull(row: number): void {
    this.#values[row] = null;
  }

  vector(): ColumnVector {
    return { type: this.#type, values: this.#values } as ColumnVector;
  }
}

/** Room for so many values of a column. */
export function cellsOf({ dataType }: Column, capacity: number): Cells {
  switch (dataType) {
    case 'integer':
    case 'date-time':
      return new IntegerCells(dataType, capacity);
    case 'number':
      return new NumberCells(capacity);
    case 'date':
      return new DateCells(capacity);
    default:
      return new PlainCells(dataType);
  }
}
