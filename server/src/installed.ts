/** The engine and the store of this installation: the one file outside their folders that names them. */
export { DUCKDB_ENGINE as INSTALLED_ENGINE } from './engine/duckdb/engine.ts';
export { joinParquet } from './engine/duckdb/parquet-join.ts';
export { DUCKDB_SETTINGS as ENGINE_SETTINGS } from './engine/duckdb/settings.ts';
export {
  type ControlStoreOptions,
  SqliteControlStore as InstalledControlStore,
} from './store/sqlite/control-store.ts';
export { openSqliteIndexCopy as openInstalledIndexCopy } from './store/sqlite/kept-parts.ts';
export { SqliteLakeIndex as InstalledLakeIndex } from './store/sqlite/lake-index.ts';
export { tryLockFile } from './store/sqlite/lock-file.ts';
export { SQLITE_SETTINGS as STORE_SETTINGS } from './store/sqlite/settings.ts';
