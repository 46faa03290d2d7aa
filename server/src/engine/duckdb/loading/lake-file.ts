/**
 * How a partition file is written, and how it says that it is one: in its key-value metadata, which
 * any tool shows. Its time columns themselves say that they are UTC, see `utc-columns.ts`.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Dataset } from '../../../catalog/dataset.ts';
import { quoteText } from '../sql-text.ts';
import { selectRows } from './stage-table.ts';

const METADATA_KEY = 'ticklake';

/** Options of COPY that write the metadata. */
export function lakeFileOptions({ textId }: Dataset): string {
  const metadata = JSON.stringify({ dataset: textId, times: 'UTC' });
  return `KV_METADATA {${METADATA_KEY}: ${quoteText(metadata)}}`;
}

/** True if a lake wrote the Parquet file, so that its unmarked times are UTC. */
export async function isLakeFile(connection: DuckDBConnection, file: string): Promise<boolean> {
  const found = await selectRows(
    connection,
    `SELECT 1 FROM parquet_kv_metadata(${quoteText(file)})
     WHERE key = ${quoteText(METADATA_KEY)}::BLOB`,
  );
  return found.length > 0;
}

export const ROW_GROUP_ROWS = 61_440;

/** A statement that writes the rows of a query, in their order, to a new file; `more`: options. */
export function copySql(dataset: Dataset, rows: string, file: string, isPlain = false, more = '') {
  return `COPY (${rows}) TO ${quoteText(file)}
    (FORMAT parquet, COMPRESSION ${isPlain ? 'uncompressed' : 'zstd'}, WRITE_BLOOM_FILTER ${!isPlain},
    ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, ${lakeFileOptions(dataset)}${more})`;
}
