/** Loads a file into a stage's table. */
import type { Dataset } from '../../catalog/dataset.ts';
import { UsageError } from '../../errors.ts';
import type { LoadReport, SourceFile } from '../engine.ts';
import { quoteText } from './sql-text.ts';
import { columnList, type StageTable } from './stage-table.ts';

/** Appends the rows of `source` to the table, in file order, and numbers them on. */
export async function loadFileIntoStage(
  table: StageTable,
  dataset: Dataset,
  source: SourceFile,
): Promise<LoadReport> {
  if (source.format !== 'parquet') {
    throw new UsageError(`${source.displayName}: only Parquet files can be loaded`);
  }
  const result = await table.connection.run(
    `INSERT INTO ${table.name} BY POSITION
     SELECT ${columnList(dataset)}, file_row_number + ${table.nextRowOrder}
     FROM read_parquet(${quoteText(source.path)}, file_row_number = true)`,
  );
  const rowCount = Number(result.rowsChanged);
  table.nextRowOrder += rowCount;
  return { rowCount, badRowCount: 0, badValues: [] };
}
