/**
 * How a partition file says that it is one: in its key-value metadata, which any tool shows. Its time
 * columns themselves say that they are UTC, see `utc-columns.ts`; those of earlier releases do not.
 */
import { basename } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Dataset } from '../../catalog/dataset.ts';
import { quoteText } from './sql-text.ts';

const METADATA_KEY = 'ticklake';
/** Files written before they had the metadata are known by their names and their writer. */
const PARTITION_NAME = /^(\d{4}(-\d\d){0,2}|all)-v\d+-[0-9a-f]{12}\.parquet$/;
const WRITER = /^DuckDB /;

/** Options of COPY that write the metadata. */
export function lakeFileOptions({ textId }: Dataset): string {
  const metadata = JSON.stringify({ dataset: textId, times: 'UTC' });
  return `KV_METADATA {${METADATA_KEY}: ${quoteText(metadata)}}`;
}

/**
 * Whether the Parquet file at `file` was written by a lake, so that its unmarked times are UTC.
 * `originalPath` is where it was found.
 */
export async function isLakeFile(
  connection: DuckDBConnection,
  file: string,
  originalPath: string,
): Promise<boolean> {
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM parquet_kv_metadata(${quoteText(file)})
     WHERE key = ${quoteText(METADATA_KEY)}::BLOB`,
  );
  if (found.currentRowCount > 0) return true;
  if (!PARTITION_NAME.test(basename(originalPath))) return false;
  const writers = await connection.runAndReadAll(
    `SELECT created_by FROM parquet_file_metadata(${quoteText(file)})`,
  );
  return WRITER.test(String(writers.getRows()[0]?.[0]));
}
