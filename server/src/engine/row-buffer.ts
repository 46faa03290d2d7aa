/** Rows of one dataset, gathered column by column and handed on in batches. */
import type { Moments, Source, Sources } from '@ticklake/market/row-sources.ts';
import { UsageError } from '../base/errors.ts';
import { isArray } from '../catalog/column-types.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  daysOfDate,
  type ListedVector,
} from './columns.ts';

const BATCH_ROWS = 8192;

function fillCells(cells: Cells, at: number, rowCount: number, source: readonly CellValue[]): void {
  for (let i = 0; i < rowCount; i++) {
    const value = source[i] as CellValue;
    if (value === null) cells.setNull(at + i);
    else cells.set(at + i, value);
  }
}

function fillConstant(cells: Cells, at: number, rowCount: number, value: CellValue): void {
  for (let i = 0; i < rowCount; i++) {
    if (value === null) cells.setNull(at + i);
    else cells.set(at + i, value);
  }
}

/** One value for many rows, as the column keeps it, so that it is converted once. */
function constantOf({ dataType }: Column, value: CellValue): CellValue {
  if (dataType === 'date' && typeof value === 'string') return daysOfDate(value);
  return dataType === 'integer' && typeof value === 'number' ? BigInt(value) : value;
}

function isMoments(source: Source): source is Moments {
  return typeof source === 'object' && source !== null && 'nanosOfDay' in source;
}

function fill(cells: Cells, column: Column, at: number, rowCount: number, source: Source): void {
  if (source instanceof Float64Array) cells.fillNumbers(at, source);
  else if (isMoments(source)) (cells as IntegerCells).fillMoments(at, source);
  else if (Array.isArray(source) && !isArray(column.dataType))
    fillCells(cells, at, rowCount, source as readonly CellValue[]);
  else fillConstant(cells, at, rowCount, constantOf(column, source as CellValue));
}

export class RowBuffer {
  readonly dataset: Dataset;
  #cells: Cells[] = [];
  #capacity = 0;
  #rowCount = 0;
  #batches: ColumnBatch[] = [];

  constructor(dataset: Dataset) {
    this.dataset = dataset;
  }

  /** Adds rows. Throws a `UsageError` for a column of the dataset that has no source. */
  append(rowCount: number, sources: Sources): void {
    if (rowCount === 0) return;
    if (this.#rowCount + rowCount > this.#capacity) this.#startBatch(rowCount);
    const at = this.#rowCount;
    for (let c = 0; c < this.dataset.columns.length; c++) {
      const column = this.dataset.columns[c] as Column;
      const source = sources[column.name];
      if (source === undefined)
        throw new UsageError(
          `${this.dataset.textId} has a column ${column.name} that its rows are made without`,
        );
      fill(this.#cells[c] as Cells, column, at, rowCount, source);
    }
    this.#rowCount += rowCount;
  }

  /** Adds one row of cells by column name. */
  appendRow(cells: Readonly<Record<string, CellValue>>): void {
    // No computation of rows knows the other types of cells.
    this.append(1, cells as Sources);
  }

  /** The batches that are full; with `isEnd` the last one too. */
  take(isEnd: boolean): ColumnBatch[] {
    if (isEnd) this.#startBatch(0);
    const batches = this.#batches;
    this.#batches = [];
    return batches;
  }

  #startBatch(rowCount: number): void {
    if (this.#rowCount > 0)
      this.#batches.push({
        rowCount: this.#rowCount,
        columns: this.#cells.map((cells) => cells.vector(this.#rowCount)),
      });
    this.#rowCount = 0;
    this.#capacity = rowCount === 0 ? 0 : Math.max(BATCH_ROWS, rowCount);
    this.#cells = this.dataset.columns.map((column) => cellsOf(column, this.#capacity));
  }
}

/** The buffers of the datasets that a family of rows goes to, by text id. */
export class RowBuffers {
  readonly #buffers: ReadonlyMap<string, RowBuffer>;

  constructor(datasets: readonly Dataset[]) {
    this.#buffers = new Map(datasets.map((dataset) => [dataset.textId, new RowBuffer(dataset)]));
  }

  of(textId: string): RowBuffer {
    const buffer = this.#buffers.get(textId);
    if (!buffer) throw new Error(`no rows are gathered for ${textId}`);
    return buffer;
  }

  all(): RowBuffer[] {
    return [...this.#buffers.values()];
  }
}

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
class IntegerCells implements Cells {
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
