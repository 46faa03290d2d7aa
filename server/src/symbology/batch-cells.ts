/** Cells of a batch by the names of their columns. */
import type { Column } from '../catalog/dataset.ts';
import type { CellValue, ColumnBatch } from '../engine/columns.ts';

/** Null: no value, or no such column. */
export function cellReader<Name extends string>(
  columns: readonly Column[],
  batch: ColumnBatch,
): (name: Name, row: number) => CellValue {
  const places = new Map(columns.map(({ name }, c) => [name, c]));
  return (name, row) => {
    const vector = batch.columns[places.get(name) ?? -1];
    if (!vector || ('nulls' in vector && vector.nulls?.[row] === 1)) return null;
    return vector.values[row] ?? null;
  };
}
