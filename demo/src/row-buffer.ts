/** Rows of one dataset, gathered column by column and handed on in batches. */

import type { NumberTable } from '@ticklake/market/number-table.ts';
import type { Column, Dataset } from 'ticklake/catalog/dataset.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  daysOfDate,
} from 'ticklake/engine/columns.ts';
import { utcOfMarketTime } from 'ticklake/time/market-time.ts';
import type { TimeZone } from 'ticklake/time/time-zone.ts';

const BATCH_ROWS = 8192;
const NOON_NANOS = 43_200_000_000_000n;

/** Moments of one market date: nanoseconds since local midnight, NaN for none. */
export interface Moments {
  readonly zone: TimeZone;
  readonly date: string;
  readonly nanosOfDay: Float64Array;
}

/** The values of a column for some rows: numbers (NaN: null), moments, cells, or one for all. */
export type Source = Float64Array | Moments | readonly CellValue[] | CellValue;

/** Sources by column name. */
export type Sources = Readonly<Record<string, Source>>;

/** The columns of a computed table as sources. */
export function tableSources(table: NumberTable): Sources {
  return Object.fromEntries(
    table.columns.map((name, i) => [name, table.values[i] as Float64Array]),
  );
}

/** The values of one column of a batch in the making. */
interface Cells {
  /** Writes values from a row on; NaN is null. */
  fillNumbers(at: number, numbers: Float64Array): void;
  /** Writes one value, which is not null. */
  set(row: number, value: CellValue): void;
  setNull(row: number): void;
  vector(rowCount: number): ColumnVector;
}

function isMoments(source: Source): source is Moments {
  return typeof source === 'object' && source !== null && 'nanosOfDay' in source;
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
  readonly #type: 'string' | 'array of string';
  readonly #values: CellValue[] = [];

  constructor(type: 'string' | 'array of string') {
    this.#type = type;
  }

  fillNumbers(): void {
    throw new Error('strings come as cells');
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

function cellsOf({ dataType }: Column, capacity: number): Cells {
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

function fillCells(cells: Cells, at: number, rowCount: number, source: readonly CellValue[]): void {
  for (let i = 0; i < rowCount; i++) {
    const value = source[i] as CellValue;
    if (value === null) cells.setNull(at + i);
    else cells.set(at + i, value);
  }
}

function fillConstant(cells: Cells, at: number, rowCount: number, value: CellValue): void {
  if (value === null) for (let i = 0; i < rowCount; i++) cells.setNull(at + i);
  else {
    const cell = typeof value === 'number' && cells instanceof IntegerCells ? BigInt(value) : value;
    for (let i = 0; i < rowCount; i++) cells.set(at + i, cell);
  }
}

function fill(
  cells: Cells,
  { dataType }: Column,
  at: number,
  rowCount: number,
  source: Source,
): void {
  if (source instanceof Float64Array) cells.fillNumbers(at, source);
  else if (isMoments(source)) (cells as IntegerCells).fillMoments(at, source);
  else if (Array.isArray(source) && dataType !== 'array of string')
    fillCells(cells, at, rowCount, source as readonly CellValue[]);
  else fillConstant(cells, at, rowCount, source as CellValue);
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

  /** Adds rows; every column of the dataset has to have a source. */
  append(rowCount: number, sources: Sources): void {
    if (rowCount === 0) return;
    if (this.#rowCount + rowCount > this.#capacity) this.#startBatch(rowCount);
    const at = this.#rowCount;
    for (let c = 0; c < this.dataset.columns.length; c++) {
      const column = this.dataset.columns[c] as Column;
      const source = sources[column.name];
      if (source === undefined)
        throw new Error(`no values for column ${column.name} of ${this.dataset.textId}`);
      fill(this.#cells[c] as Cells, column, at, rowCount, source);
    }
    this.#rowCount += rowCount;
  }

  /** Adds one row of cells by column name. */
  appendRow(cells: Readonly<Record<string, CellValue>>): void {
    this.append(1, cells);
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
