/** Columns of which a condition says the only value: they are not read, but known. */
import type { Column } from '../../catalog/dataset.ts';
import type { QueryPlan } from '../../plan/query-plan.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../columns.ts';
import { onlyValue } from './compile-query.ts';

function repeated(column: Column, value: CellValue, rowCount: number): ColumnBatch {
  return batchOfRows([column], new Array(rowCount).fill([value]));
}

export class OnlyValues {
  /** The plan's other columns, which have to be read. */
  readonly stored: readonly Column[];
  readonly #columns: readonly Column[];
  /** Null for a column that is read. */
  readonly #values: readonly (CellValue | null)[];
  /** In place of the columns that are not read; those of one batch serve all that are no longer. */
  #known: readonly (ColumnBatch | null)[] = [];
  #knownRows = 0;

  constructor(plan: QueryPlan) {
    this.#columns = plan.columns;
    this.#values = plan.columns.map((column) => onlyValue(plan, column) ?? null);
    this.stored = plan.columns.filter((_, c) => this.#values[c] === null);
  }

  /** A batch of the stored columns -> one of all columns. */
  complete({ rowCount, columns }: ColumnBatch): ColumnBatch {
    if (this.stored.length === this.#columns.length) return { rowCount, columns };
    if (rowCount > this.#knownRows) {
      this.#knownRows = rowCount;
      this.#known = this.#columns.map((column, c) => {
        const value = this.#values[c] ?? null;
        return value === null ? null : repeated(column, value, rowCount);
      });
    }
    const stored = columns.values();
    const all = this.#known.map((known) => known?.columns[0] ?? stored.next().value);
    return { rowCount, columns: all as ColumnBatch['columns'] };
  }
}
