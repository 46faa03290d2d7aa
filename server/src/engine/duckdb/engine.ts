/**
 * The engine: Parquet files in the folder `lake` of the home or in object storage, which DuckDB
 * reads and writes.
 */
import { join } from 'node:path';
import type { DiskLimits } from '../../base/budgets.ts';
import type { ValuesOf } from '../../schema/setting.ts';
import type { Engine, EngineConfig } from '../engine.ts';
import { type LakeAddress, openObjectLake, prepareObjectLake } from './objects/object-lake.ts';
import { openDuckDBReader } from './reader.ts';
import type { DUCKDB_SETTINGS, READING_LIMITS } from './settings.ts';
import { duckDBStorage } from './storage.ts';

const directoryOf = (home: string) => join(home, 'lake');

type DuckDBConfig = EngineConfig &
  ValuesOf<typeof DUCKDB_SETTINGS> &
  typeof READING_LIMITS &
  DiskLimits & { readonly lakeAddress?: LakeAddress | null };

export const DUCKDB_ENGINE: Engine<DuckDBConfig> = {
  prepare: prepareObjectLake,
  openReader: async (config) => {
    const lake = openObjectLake(config);
    const spillDirectory = join(directoryOf(config.home), '.spill');
    lake?.cache?.open();
    return await openDuckDBReader({
      directory: directoryOf(config.home),
      ...(lake && {
        ...{ files: lake.files, access: lake.access(), cache: lake.cache },
        ...{ directFiles: lake.directFiles, warning: lake.warning },
        localDirectories: [spillDirectory, ...(lake.cache ? [lake.cacheDirectory] : [])],
      }),
      spillDirectory,
      memoryLimitMegabytes: config.engineMemoryMegabytes,
      threadCount: config.engineThreads,
      idleConnectionsMax: config.queriesMax,
      workerCellsMin: config.workerCellsMin,
      walks: {
        diskBytesMax: config.walkDiskBytesMax,
        diskBytesPerHolderMax: config.walkDiskBytesPerAccountMax,
        rowsMax: config.walkRowsMax,
        idleMs: config.walkIdleMs,
      },
    });
  },
  openStorage: (config, tryLock) => {
    const { home, stagingBytesMax } = config;
    return duckDBStorage({
      directory: directoryOf(home),
      lake: openObjectLake(config),
      tryLock,
      ...(stagingBytesMax && { stagingBytesMax }),
    });
  },
};
