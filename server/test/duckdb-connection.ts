/** DuckDB as another program: it writes files to load, and reads those that were published. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

let instance: Promise<DuckDBInstance> | undefined;

/** To one engine of this process: opening another takes longer than most queries. */
export async function connectToDuckDB(): Promise<DuckDBConnection> {
  instance ??= DuckDBInstance.create(':memory:', { threads: '1' });
  return await (await instance).connect();
}
