/** The installed engine and stores: nothing else but `installed-engine.ts` names them. */

export { PARTS_NOT_IN_FILES } from './engine/clickhouse/settings.ts';
export { joinParquet, parquetRowCount } from './engine/duckdb/parquet/assembly.ts';
export {
  ENGINE_DEFAULTS,
  ENGINE_LIMITS,
  ENGINE_SETTINGS,
  INSTALLED_ENGINE,
  isCluster,
  LAKE_PLACE_FORM,
  type LakePlace,
  lakePlaceName,
  readLakePlace,
} from './installed-engine.ts';
export {
  ADDRESS_FORM as SHARED_ADDRESS_FORM,
  addressOf as sharedAddressOf,
  type PostgresAddress as StoreAddress,
} from './store/postgres/address.ts';
export { PostgresControlStore as SharedControlStore } from './store/postgres/control-store.ts';
export { fillSharedStore, readSharedStore } from './store/postgres/copied-tables.ts';
export { openLakeIndex as openSharedIndex } from './store/postgres/lake-index.ts';
export { migrateStore as migrateSharedStore } from './store/postgres/migrations.ts';
export { NOT_IN_FILES, POSTGRES_SETTINGS as STORE_SETTINGS } from './store/postgres/settings.ts';
export {
  type ControlStoreOptions as FileStoreOptions,
  SqliteControlStore as FileControlStore,
} from './store/sqlite/control-store.ts';
export { makeFileStore, readFileStore } from './store/sqlite/copied-tables.ts';
export {
  openIndexCopy as openInstalledIndexCopy,
  openLakeIndex as openFileIndex,
} from './store/sqlite/lake-index.ts';
export { tryLockFile } from './store/sqlite/publisher-locks.ts';

export const STORE_LIMITS = {
  /** How long requests of known callers are answered from memory when the shared store is away. */
  storeGraceMs: 30_000,
  /** Reserved by a store in a file, so that it can save changes and usage when the disk is full. */
  storeReserveBytes: 8 * 1024 * 1024,
};
