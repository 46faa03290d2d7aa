/** Rows that are given as batches, for formats that write rows. */
import type { ColumnBatch } from '../src/engine/columns.ts';
import type { RowSource } from '../src/engine/row-source.ts';

export function sourceOfRows(rows: AsyncIterable<ColumnBatch>): RowSource {
  return {
    rows: () => rows,
    parquet: async () => {
      await Array.fromAsync(rows);
      throw new Error('no engine is there to make a Parquet file');
    },
  };
}
