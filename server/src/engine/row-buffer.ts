/** Rows of one dataset, gathered column by column and handed on in batches. */
import type { Moments, Source, Sources } from '@ticklake/market/row-sources.ts';
import { UsageError } from '../base/errors.ts';
import { isArray } from '../catalog/column-types.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import {
  type Cells,
  type CellValue,
  type ColumnBatch,
  cellsOf,
  daysOfDate,
  type IntegerCells,
} from './columns.ts';

const BATCH_ROWS = 8192;

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
  else if (Array.isArray(source) && !isArray(column.dataType)) {
    for (let i = 0; i < rowCount; i++) cells.set(at + i, source[i] as CellValue);
  } else {
    const value = constantOf(column, source as CellValue);
    for (let i = 0; i < rowCount; i++) cells.set(at + i, value);
  }
}

export class RowBuffer {
  readonly dataset: Dataset;
  #cells: Cells[] = [];
  #capacity = 0;
  #rowCount = 0;
  #batches: ColumnBatch[] = [];
  /** Memory of a batch that was released; null: there is none. */
  #spare: Cells[] | null = null;

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
    if (this.#rowCount > 0) this.#batches.push(this.#batch());
    this.#rowCount = 0;
    this.#capacity = rowCount === 0 ? 0 : Math.max(BATCH_ROWS, rowCount);
    const spare = this.#capacity === BATCH_ROWS ? this.#spare : null;
    if (spare) this.#spare = null;
    this.#cells = spare ?? this.dataset.columns.map((column) => cellsOf(column, this.#capacity));
  }

  #batch(): ColumnBatch {
    const cells = this.#cells;
    const [rowCount, isSpare] = [this.#rowCount, this.#capacity === BATCH_ROWS];
    const release = () => {
      for (const each of cells) each.clear();
      this.#spare = cells;
    };
    const columns = cells.map((each) => each.vector(rowCount));
    return { rowCount, columns, ...(isSpare && { release }) };
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
