/** The engine: Parquet files in the folder `lake` of the home, which DuckDB reads and writes. */
import { join } from 'node:path';
import type { ValuesOf } from '../../schema/setting.ts';
import type { Engine, EngineConfig } from '../engine.ts';
import { openDuckDBReader } from './reader.ts';
import type { DUCKDB_SETTINGS } from './settings.ts';
import { duckDBStorage } from './storage.ts';

const directoryOf = (home: string) => join(home, 'lake');

type DuckDBConfig = EngineConfig & ValuesOf<typeof DUCKDB_SETTINGS>;

export const DUCKDB_ENGINE: Engine<DuckDBConfig> = {
  openReader: async (config) =>
    await openDuckDBReader({
      directory: directoryOf(config.home),
      spillDirectory: join(directoryOf(config.home), '.spill'),
      memoryLimitMegabytes: config.engineMemoryMegabytes,
      threadCount: config.engineThreads,
      idleConnectionsMax: config.queriesMax,
      walks: {
        diskBytesMax: config.walkDiskBytesMax,
        diskBytesPerHolderMax: config.walkDiskBytesPerIdentityMax,
        rowsMax: config.walkRowsMax,
        idleMs: config.walkIdleMs,
      },
    }),
  openStorage: ({ home, stagingBytesMax }, tryLock) =>
    duckDBStorage({
      directory: directoryOf(home),
      tryLock,
      ...(stagingBytesMax && { stagingBytesMax }),
    }),
};
