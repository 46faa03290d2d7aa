/**
 * How a partition file says that it is one: in its key-value metadata, which any tool shows. Its time
 * columns themselves say that they are UTC, see `utc-columns.ts`.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Dataset } from '../../catalog/dataset.ts';
import { quoteText } from './sql-text.ts';

const METADATA_KEY = 'ticklake';

/** Options of COPY that write the metadata. */
export function lakeFileOptions({ textId }: Dataset): string {
  const metadata = JSON.stringify({ dataset: textId, times: 'UTC' });
  return `KV_METADATA {${METADATA_KEY}: ${quoteText(metadata)}}`;
}

/** Whether the Parquet file was written by a lake, so that its unmarked times are UTC. */
export async function isLakeFile(connection: DuckDBConnection, file: string): Promise<boolean> {
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM parquet_kv_metadata(${quoteText(file)})
     WHERE key = ${quoteText(METADATA_KEY)}::BLOB`,
  );
  return found.currentRowCount > 0;
}
