/**
 * Opens DuckDB locked down: it reads files of one folder or prefix, loads no extension any more,
 * reaches nothing else, and nothing can loosen that again. What was asked for is read back before
 * the first query.
 */
import { dirname } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { EngineAccess } from './objects/engine-access.ts';
import { quoteText } from './sql-text.ts';

export interface LockedInstanceOptions {
  /** The only folder that may be touched, by its absolute path, or the URL of a prefix. */
  readonly directory: string;
  /** Folders besides a prefix. */
  readonly otherDirectories?: readonly string[];
  /** For a prefix in object storage. */
  readonly access?: EngineAccess;
  /** Folder that large sorts spill to, inside one of the allowed ones; empty: none may. */
  readonly spillDirectory: string;
  readonly memoryLimitMegabytes: number;
  readonly threadCount: number;
  /**
   * Made for pages of files that never change. It keeps their footers for the next query. It reads
   * a query's columns of a row group in one go, not the headers of their pages by the byte, so that
   * times must not be read together with their UTC twins: the engine takes two columns of the same
   * pages for a broken file.
   */
  readonly readsPages?: boolean;
}

/** From the start on. */
const FIRST_SETTINGS: Readonly<Record<string, string>> = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  allow_persistent_secrets: 'false',
  preserve_insertion_order: 'true',
};

const REQUIRED_SETTINGS: Readonly<Record<string, string>> = {
  ...FIRST_SETTINGS,
  enable_external_access: 'false',
  lock_configuration: 'true',
};

async function verifyLock(
  instance: DuckDBInstance,
  { directory, otherDirectories = [] }: LockedInstanceOptions,
): Promise<void> {
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll('SELECT name, value FROM duckdb_settings()');
  const actual = new Map(reader.getRowsJson().map(([name, value]) => [`${name}`, `${value}`]));
  for (const [name, expected] of Object.entries(REQUIRED_SETTINGS)) {
    if (actual.get(name) !== expected) {
      throw new Error(`the engine is not locked down: ${name} is ${actual.get(name)}`);
    }
  }
  const outside = [directory, ...otherDirectories].map(
    (each) => `${dirname(each)}/${CHECKED_FILE}`,
  );
  for (const file of outside) {
    if (!(await canRead(connection, file))) continue;
    throw new Error('the engine is not locked down: it reads outside the lake');
  }
  connection.closeSync();
}

const CHECKED_FILE = 'ticklake-lock-check.csv';

async function canRead(connection: DuckDBConnection, file: string): Promise<boolean> {
  return await connection
    .run('SELECT * FROM read_text($1)', [file])
    .then(() => true)
    .catch((error: Error) => !/file system operations are disabled/.test(error.message));
}

/** Steps of the engine that add up the statistics of all row groups for each query. */
const USELESS_FOR_PAGES = 'join_order,statistics_propagation';

const withSlash = (directory: string) => (directory.endsWith('/') ? directory : `${directory}/`);

export async function openLockedInstance(options: LockedInstanceOptions): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:', {
    ...FIRST_SETTINGS,
    temp_directory: options.spillDirectory,
    memory_limit: `${options.memoryLimitMegabytes}MB`,
    threads: `${options.threadCount}`,
    // Memory that queries have freed goes back to the system: within a second, much of it at once.
    allocator_background_threads: 'true',
    allocator_bulk_deallocation_flush_threshold: '32MB',
  });
  const connection = await instance.connect();
  const { directory, otherDirectories = [], access, readsPages = false } = options;
  const roots = [directory, ...otherDirectories].map((each) => quoteText(withSlash(each)));
  // The system keeps what was read of files. The engine would do so again, up to its whole memory.
  await connection.run(`SET GLOBAL parquet_metadata_cache = ${readsPages};
    SET GLOBAL prefetch_all_parquet_files = ${readsPages};
    SET GLOBAL disabled_optimizers = '${readsPages ? USELESS_FOR_PAGES : ''}';
    SET GLOBAL enable_external_file_cache = false`);
  await access?.open(connection);
  await connection.run(`SET allowed_directories = [${roots.join(', ')}];
    SET enable_external_access = false; SET lock_configuration = true`);
  connection.closeSync();
  await verifyLock(instance, options);
  return instance;
}
