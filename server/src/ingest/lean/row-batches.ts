/** Rows by column name as the batches that the engine takes. */
import { UsageError } from '../../base/errors.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../../engine/columns.ts';
import type { LeanRow } from './feed.ts';

const BATCH_ROWS = 20_000;

/** The rows' cells in the order of the dataset's columns. */
function batchOf(dataset: Dataset, rows: readonly LeanRow[]): ColumnBatch {
  for (const name of Object.keys(rows[0] ?? {})) {
    if (!dataset.columnByName.has(name)) {
      throw new UsageError(`the definition of ${dataset.textId} lacks the column ${name}`);
    }
  }
  const cellsOf = (row: LeanRow): CellValue[] =>
    dataset.columns.map(({ name }) => row[name] ?? null);
  return batchOfRows(dataset.columns, rows.map(cellsOf));
}

export async function* batchesOf(dataset: Dataset, pieces: AsyncIterable<readonly LeanRow[]>) {
  let rows: LeanRow[] = [];
  for await (const piece of pieces) {
    rows = rows.length === 0 ? [...piece] : rows.concat(piece);
    if (rows.length < BATCH_ROWS) continue;
    yield batchOf(dataset, rows);
    rows = [];
  }
  if (rows.length > 0) yield batchOf(dataset, rows);
}
