/** Rows of one dataset, gathered column by column and handed on in batches. */
import type { Column, Dataset, TimeZone } from '../catalog/dataset.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  daysOfDate,
} from '../engine/columns.ts';
import type { NumberTable } from '../market/number-table.ts';
import { utcOfMarketTime } from '../time/market-time.ts';

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

interface Cells {
  /** Writes one value, which is not null. */
  set(row: number, value: CellValue): void;
  setNull(row: number): void;
  vector(rowCount: number): ColumnVector;
}

function isMoments(source: Source): source is Moments {
  return typeof source === 'object' && source !== null && 'nanosOfDay' in source;
}

/** UTC nanoseconds of a date's midnight by the offset that holds from the morning on. */
function midnightUtc({ zone, date }: Moments): bigint {
  return utcOfMarketTime(zone, date, NOON_NANOS) - NOON_NANOS;
}

function nullableCells<T extends BigInt64Array | Float64Array | Int32Array>(
  values: T,
  set: (values: T, row: number, value: CellValue) => void,
  type: 'integer' | 'date-time' | 'number' | 'date',
): Cells {
  let nulls: Uint8Array | null = null;
  return {
    set: (row, value) => set(values, row, value),
    setNull: (row) => {
      nulls ??= new Uint8Array(values.length);
      nulls[row] = 1;
    },
    vector: (rowCount) =>
      ({
        type,
        values: values.subarray(0, rowCount),
        nulls: nulls?.subarray(0, rowCount) ?? null,
      }) as ColumnVector,
  };
}

function plainCells(type: 'string' | 'array of string'): Cells {
  const values: CellValue[] = [];
  return {
    set: (row, value) => {
      values[row] = value;
    },
    setNull: (row) => {
      values[row] = null;
    },
    vector: () => ({ type, values }) as ColumnVector,
  };
}

function cellsOf({ dataType }: Column, rowCount: number): Cells {
  switch (dataType) {
    case 'integer':
    case 'date-time':
      return nullableCells(
        new BigInt64Array(rowCount),
        (values, row, value) => {
          values[row] = typeof value === 'bigint' ? value : BigInt(value as number);
        },
        dataType,
      );
    case 'number':
      return nullableCells(
        new Float64Array(rowCount),
        (values, row, value) => {
          values[row] = value as number;
        },
        dataType,
      );
    case 'date':
      return nullableCells(
        new Int32Array(rowCount),
        (values, row, value) => {
          values[row] = typeof value === 'number' ? value : daysOfDate(value as string);
        },
        dataType,
      );
    default:
      return plainCells(dataType);
  }
}

function fillNumbers(cells: Cells, at: number, numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i] as number;
    if (Number.isNaN(value)) cells.setNull(at + i);
    else cells.set(at + i, value);
  }
}

function fillMoments(cells: Cells, at: number, moments: Moments): void {
  const midnight = midnightUtc(moments);
  for (let i = 0; i < moments.nanosOfDay.length; i++) {
    const nanos = moments.nanosOfDay[i] as number;
    if (Number.isNaN(nanos)) cells.setNull(at + i);
    else cells.set(at + i, midnight + BigInt(nanos));
  }
}

function fillCells(cells: Cells, at: number, values: readonly CellValue[]): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as CellValue;
    if (value === null) cells.setNull(at + i);
    else cells.set(at + i, value);
  }
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
      const { name, dataType } = this.dataset.columns[c] as Column;
      const source = sources[name];
      const cells = this.#cells[c] as Cells;
      if (source === undefined)
        throw new Error(`no values for column ${name} of ${this.dataset.textId}`);
      if (source instanceof Float64Array) fillNumbers(cells, at, source);
      else if (isMoments(source)) fillMoments(cells, at, source);
      else if (Array.isArray(source) && dataType !== 'array of string')
        fillCells(cells, at, source as readonly CellValue[]);
      else fillCells(cells, at, new Array(rowCount).fill(source));
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
