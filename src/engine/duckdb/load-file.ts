/** Loads a file into a stage's table. */
import type { Dataset } from '../../catalog/dataset.ts';
import { UsageError } from '../../errors.ts';
import type { LoadReport, SourceFile } from '../engine.ts';
import { loadCsv } from './load-file-csv.ts';
import { loadParquet } from './load-file-parquet.ts';
import type { StageTable } from './stage-table.ts';

export interface LoadTarget {
  readonly table: StageTable;
  readonly dataset: Dataset;
  /** Where short-lived files of the load go. */
  readonly directory: string;
}

/**
 * Appends the good rows of `source` to the table, in file order, and reports the bad ones. Throws a
 * `UsageError` that names the file where nothing of it can be read.
 */
export async function loadFileIntoStage(
  target: LoadTarget,
  source: SourceFile,
  signal: AbortSignal,
): Promise<LoadReport> {
  try {
    return source.format === 'csv'
      ? await loadCsv(target, source, signal)
      : await loadParquet(target, source);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UsageError) {
      throw new UsageError(`${source.displayName}: ${error.message}`);
    }
    throw error;
  }
}
