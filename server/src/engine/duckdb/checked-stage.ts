/** What checks read of a stage. */
import type { Column, Dataset } from '../../catalog/dataset.ts';
import type { CellValue } from '../columns.ts';
import type { RemovedRows } from '../engine.ts';
import { quoteName } from './sql-text.ts';
import type { StageTable } from './stage-table.ts';

/** The file of a part of which rows stay. */
export interface ExistingFile {
  /** Of the partition. */
  readonly key: string;
  readonly file: string;
  /** Its rows as SQL, see `partitionSql`. */
  readonly source: string;
  readonly removed: RemovedRows | undefined;
}

/** A stage, and the files of the parts that stay when its rows are added. */
export interface CheckedStage {
  readonly table: StageTable;
  readonly dataset: Dataset;
  readonly existingFiles: readonly ExistingFile[];
  /** The table lies in natural order. */
  readonly isInOrder: boolean;
}

/** A value as a query has to return it: a date and a decimal as text, a time as nanoseconds. */
export function cellSql({ name, dataType }: Column): string {
  const value = quoteName(name);
  if (dataType === 'date' || dataType === 'decimal') return `CAST(${value} AS VARCHAR)`;
  return dataType === 'date-time' ? `epoch_ns(${value})` : value;
}

/** The values that a query has returned by `cellSql`. */
export function cellsOf(columns: readonly Column[], values: readonly unknown[]): CellValue[] {
  return columns.map(({ dataType }, c) => {
    const value = values[c] as CellValue;
    if (dataType !== 'decimal' || value === null) return value;
    return BigInt(`${value}`.replace('.', ''));
  });
}
