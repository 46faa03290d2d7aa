/** The keys of computed rows that break a check: computed again, as hardly a derivation has one. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { cellText } from '../engine/cell-text.ts';
import type { CellValue, ColumnBatch } from '../engine/columns.ts';
import type { FoundValue, KeysOfRows } from '../lake/check-findings.ts';

function keysAt(dataset: Dataset, { columns }: ColumnBatch, row: number): FoundValue[] {
  return dataset.naturalOrder.map((name) => {
    const at = dataset.columns.findIndex((column) => column.name === name);
    const vector = columns[at];
    const isNull = vector && 'nulls' in vector && vector.nulls?.[row] === 1;
    const cell = isNull ? null : ((vector?.values[row] ?? null) as CellValue);
    const value = cellText(dataset.columns[at] as Column, cell, dataset.timeZone);
    return { column: name, value };
  });
}

/** `compute` gives the rows of a writer once more, in the same order. */
export function recomputedKeys(
  dataset: Dataset,
  compute: () => AsyncIterable<ColumnBatch>,
): KeysOfRows {
  return {
    async find(rows) {
      const found = new Map<number, FoundValue[]>();
      let first = 0;
      for await (const batch of compute()) {
        const end = first + batch.rowCount;
        for (const row of rows) {
          if (row >= first && row < end) found.set(row, keysAt(dataset, batch, row - first));
        }
        if (found.size === rows.length) break;
        first = end;
      }
      return found;
    },
  };
}
