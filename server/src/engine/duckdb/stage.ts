/**
 * Stages in DuckDB: loaded rows lie in a table that spills to the stage's directory, are sorted
 * where they do not come sorted, and leave as partition files.
 */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Dataset } from '../../catalog/dataset.ts';
import { SETTINGS } from '../../settings/config.ts';
import type { ColumnBatch } from '../columns.ts';
import type {
  BlockReport,
  LoadReport,
  NumberedBlock,
  ParquetSource,
  PlainBlock,
  Stage,
  StagingEngine,
} from '../engine.ts';
import type { PartitionFile } from '../partition.ts';
import { bringFile } from './bring-file.ts';
import { setClock } from './clock-offsets.ts';
import { loadParquet } from './load-file-parquet.ts';
import { type LoadTarget, loadNumberedRecords, loadPlainRecords } from './load-records.ts';
import { openLockedInstance } from './locked-instance.ts';
import { writeParquetPartition } from './parquet-writer.ts';
import { BatchAppender } from './stage-append.ts';
import { isInNaturalOrder, sortStageTable, stagedPartitionKeys } from './stage-order.ts';
import { requireRowRules } from './stage-rules.ts';
import { createStageTable, type StageTable } from './stage-table.ts';
import { StageWatch } from './stage-watch.ts';
import { partitionFormat, upgradePartitionFile } from './upgrade-file.ts';

/** Each partition that is sorted by itself takes a look at every row's partition. */
const PARTITIONS_SORTED_APART_MAX = 32;

export interface DuckDBStagingOptions {
  /** What a stage may hold in memory before it spills to disk; 768 by default. */
  readonly memoryLimitMegabytes?: number;
  /** Disk space that a stage may take for rows that do not fit into memory; see the setting. */
  readonly stagingBytesMax?: number;
}

class DuckDBStage implements Stage {
  readonly #instance: DuckDBInstance;
  readonly #dataset: Dataset;
  readonly #table: StageTable;
  readonly #directory: string;
  readonly #watch: StageWatch;
  #appender: BatchAppender | null = null;
  /** Whether the table lies in natural order; null: not known since rows were added. */
  #isSorted: boolean | null = null;

  constructor(
    instance: DuckDBInstance,
    dataset: Dataset,
    table: StageTable,
    directory: string,
    watch: StageWatch,
  ) {
    this.#instance = instance;
    this.#dataset = dataset;
    this.#table = table;
    this.#directory = directory;
    this.#watch = watch;
  }

  async append(batch: ColumnBatch): Promise<void> {
    this.#appender ??= new BatchAppender(
      await this.#table.connection.createAppender(this.#table.name),
      this.#dataset.columns,
    );
    this.#appender.append(batch);
    this.#isSorted = null;
  }

  async loadPlainRecords(block: PlainBlock): Promise<boolean> {
    return await this.#load(() => loadPlainRecords(this.#target, block));
  }

  async loadNumberedRecords(block: NumberedBlock, shownCount: number): Promise<BlockReport> {
    return await this.#load(() => loadNumberedRecords(this.#target, block, shownCount));
  }

  async loadParquet(source: ParquetSource): Promise<LoadReport> {
    return await this.#load(() => loadParquet(this.#target, source));
  }

  async requireRowRules(): Promise<void> {
    await this.#watch.run(async () => {
      this.#appender?.flush();
      await requireRowRules(this.#table, this.#dataset);
    });
  }

  async partitionKeys(): Promise<string[]> {
    return await this.#watch.run(async () => {
      this.#appender?.flush();
      return await stagedPartitionKeys(this.#table, this.#dataset);
    });
  }

  async writePartition(
    key: string,
    targetFile: string,
    existingFile: string | null,
  ): Promise<PartitionFile> {
    return await this.#watch.run(() => this.#write(key, targetFile, existingFile));
  }

  async close(): Promise<void> {
    this.#closeAppender();
    this.#table.connection.closeSync();
    this.#instance.closeSync();
  }

  async #load<T>(work: () => Promise<T>): Promise<T> {
    return await this.#watch.run(async () => {
      this.#appender?.flush();
      this.#isSorted = null;
      return await work();
    });
  }

  async #write(
    key: string,
    targetFile: string,
    existingFile: string | null,
  ): Promise<PartitionFile> {
    if (existsSync(targetFile)) throw new Error(`${targetFile} exists`);
    const isSorted = await this.#sort();
    // The engine may touch this folder only: what it reads is brought, what it wrote is moved.
    const written = join(this.#directory, `written-${key}.parquet`);
    const existing = existingFile && join(this.#directory, `existing-${key}.parquet`);
    if (existingFile && existing) await bringFile(existingFile, existing);
    try {
      const target = { key, targetFile: written, existingFile: existing, isSorted };
      const partition = await writeParquetPartition(this.#table, this.#dataset, target);
      await rename(written, targetFile);
      return partition;
    } finally {
      await rm(written, { force: true });
      if (existing) await rm(existing, { force: true });
    }
  }

  get #target(): LoadTarget {
    return { table: this.#table, dataset: this.#dataset, directory: this.#directory };
  }

  /**
   * Sorts the whole table where there are many partitions, which are then read out of it; a few are
   * sorted one by one as they are written. Resolves with whether the table is in natural order.
   */
  async #sort(): Promise<boolean> {
    if (this.#isSorted !== null) return this.#isSorted;
    // Sorting replaces the table, so an appender to the old one must not outlive it.
    this.#closeAppender();
    this.#isSorted = await isInNaturalOrder(this.#table, this.#dataset);
    if (this.#isSorted) return true;
    const keys = await stagedPartitionKeys(this.#table, this.#dataset);
    if (keys.length <= PARTITIONS_SORTED_APART_MAX) return false;
    await sortStageTable(this.#table, this.#dataset);
    this.#isSorted = true;
    return true;
  }

  #closeAppender(): void {
    this.#appender?.close();
    this.#appender = null;
  }
}

export function duckDBStagingEngine(options: DuckDBStagingOptions = {}): StagingEngine {
  const { memoryLimitMegabytes = 768, stagingBytesMax = SETTINGS.stagingBytesMax.default } =
    options;
  return {
    formatOf: partitionFormat,
    upgradeFile: upgradePartitionFile,
    async openStage(
      dataset: Dataset,
      directory: string,
      signal: AbortSignal = new AbortController().signal,
    ): Promise<Stage> {
      const spillDirectory = join(directory, 'spill');
      const instance = await openLockedInstance({
        directory,
        spillDirectory,
        memoryLimitMegabytes,
        threadCount: availableParallelism(),
      });
      const connection: DuckDBConnection = await instance.connect();
      await setClock(connection, dataset.timeZone);
      const table = await createStageTable(connection, dataset);
      const limits = { spillDirectory, spillBytesMax: stagingBytesMax, signal };
      const watch = new StageWatch(connection, limits);
      return new DuckDBStage(instance, dataset, table, directory, watch);
    },
  };
}
