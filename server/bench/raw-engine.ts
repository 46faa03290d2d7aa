/** DuckDB by itself: what the service's own engine would take for the same rows. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Selection, TIME_COLUMNS } from './selection.ts';

/** As many as the service gives its engine by default. */
export const ENGINE_THREADS = 2;

export async function openRawEngine(spillDirectory: string): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: `${ENGINE_THREADS}`,
    temp_directory: spillDirectory,
  });
  const connection = await instance.connect();
  // As in the service, so that neither reads footers again for each query.
  await connection.run('SET GLOBAL parquet_metadata_cache = true');
  return connection;
}

/** Runs a query and reads every chunk of its result; resolves with the number of rows. */
export async function readAll(connection: DuckDBConnection, sql: string): Promise<number> {
  const result = await connection.run(sql);
  let rowCount = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return rowCount;
    for (let c = 0; c < chunk.columnCount; c++) chunk.getColumnVector(c);
    rowCount += chunk.rowCount;
  }
}

/** The dataset's columns, as a select list over its partition files, with times in nanoseconds. */
export function exactColumns(table: Selection['table']): string {
  const time = TIME_COLUMNS[table];
  return `* EXCLUDE (${time}_utc_ns) REPLACE (make_timestamp_ns(${time}_utc_ns) AS ${time})`;
}

export function selectSql({ table, file, conditions, limit }: Selection): string {
  return `SELECT ${exactColumns(table)} FROM read_parquet('${file}') WHERE ${conditions} LIMIT ${limit}`;
}
