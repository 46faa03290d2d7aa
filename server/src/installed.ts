/** The engine and the stores of this installation: the one file outside their folders that names them. */
import { POSTGRES_SETTINGS } from './store/postgres/settings.ts';
import { SQLITE_SETTINGS } from './store/sqlite/settings.ts';

export { DUCKDB_ENGINE as INSTALLED_ENGINE } from './engine/duckdb/engine.ts';
export { joinParquet } from './engine/duckdb/parquet-join.ts';
export { DUCKDB_SETTINGS as ENGINE_SETTINGS } from './engine/duckdb/settings.ts';
export type { PostgresAddress as StoreAddress } from './store/postgres/address.ts';
export { PostgresControlStore as SharedControlStore } from './store/postgres/control-store.ts';
export { PostgresLakeIndex as SharedLakeIndex } from './store/postgres/lake-index.ts';
export { migrateStore as migrateSharedStore } from './store/postgres/migrate-store.ts';
export { NOT_IN_FILES } from './store/postgres/settings.ts';
export {
  type ControlStoreOptions as FileStoreOptions,
  SqliteControlStore as FileControlStore,
} from './store/sqlite/control-store.ts';
export { openSqliteIndexCopy as openInstalledIndexCopy } from './store/sqlite/kept-parts.ts';
export { SqliteLakeIndex as FileLakeIndex } from './store/sqlite/lake-index.ts';
export { tryLockFile } from './store/sqlite/lock-file.ts';

export const STORE_SETTINGS = { ...POSTGRES_SETTINGS, ...SQLITE_SETTINGS };
