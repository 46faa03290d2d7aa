/**
 * Stages in DuckDB: loaded rows lie in a table that spills to the stage's directory, are sorted
 * once where they do not come sorted, and leave as partition files.
 */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Dataset } from '../../catalog/dataset.ts';
import type { ColumnBatch } from '../columns.ts';
import type { LoadReport, PartitionFile, SourceFile, Stage, StagingEngine } from '../engine.ts';
import { bringFile } from './bring-file.ts';
import { loadFileIntoStage } from './load-file.ts';
import { openLockedInstance } from './locked-instance.ts';
import { writeParquetPartition } from './parquet-writer.ts';
import { BatchAppender } from './stage-append.ts';
import { sortStageTable, stagedPartitionKeys } from './stage-order.ts';
import { createStageTable, type StageTable } from './stage-table.ts';
import { partitionFormat, upgradePartitionFile } from './upgrade-file.ts';

export interface DuckDBStagingOptions {
  /** What a stage may hold in memory before it spills to disk; 768 by default. */
  readonly memoryLimitMegabytes?: number;
}

class DuckDBStage implements Stage {
  readonly #instance: DuckDBInstance;
  readonly #dataset: Dataset;
  readonly #table: StageTable;
  readonly #directory: string;
  readonly #signal: AbortSignal;
  readonly #interrupt = () => this.#table.connection.interrupt();
  #appender: BatchAppender | null = null;
  #isSorted = true;

  constructor(
    instance: DuckDBInstance,
    dataset: Dataset,
    table: StageTable,
    directory: string,
    signal: AbortSignal,
  ) {
    this.#instance = instance;
    this.#dataset = dataset;
    this.#table = table;
    this.#directory = directory;
    this.#signal = signal;
    signal.addEventListener('abort', this.#interrupt);
  }

  async append(batch: ColumnBatch): Promise<void> {
    this.#appender ??= new BatchAppender(
      await this.#table.connection.createAppender(this.#table.name),
      this.#dataset.columns,
    );
    this.#appender.append(batch, this.#table.nextRowOrder);
    this.#table.nextRowOrder += batch.rowCount;
    this.#isSorted = false;
  }

  async loadFile(source: SourceFile): Promise<LoadReport> {
    this.#signal.throwIfAborted();
    this.#appender?.flush();
    this.#isSorted = false;
    const target = { table: this.#table, dataset: this.#dataset, directory: this.#directory };
    return await loadFileIntoStage(target, source, this.#signal);
  }

  async partitionKeys(): Promise<string[]> {
    this.#signal.throwIfAborted();
    await this.#sort();
    return await stagedPartitionKeys(this.#table, this.#dataset);
  }

  async writePartition(
    key: string,
    targetFile: string,
    existingFile: string | null,
  ): Promise<PartitionFile> {
    this.#signal.throwIfAborted();
    if (existsSync(targetFile)) throw new Error(`${targetFile} exists`);
    await this.#sort();
    // The engine may touch this folder only: what it reads is brought, what it wrote is moved.
    const written = join(this.#directory, `written-${key}.parquet`);
    const existing = existingFile && join(this.#directory, `existing-${key}.parquet`);
    if (existingFile && existing) await bringFile(existingFile, existing);
    try {
      const target = { key, targetFile: written, existingFile: existing };
      const partition = await writeParquetPartition(this.#table, this.#dataset, target);
      await rename(written, targetFile);
      return partition;
    } finally {
      await rm(written, { force: true });
      if (existing) await rm(existing, { force: true });
    }
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#interrupt);
    this.#closeAppender();
    this.#table.connection.closeSync();
    this.#instance.closeSync();
  }

  async #sort(): Promise<void> {
    if (this.#isSorted) return;
    // Sorting replaces the table, so an appender to the old one must not outlive it.
    this.#closeAppender();
    await sortStageTable(this.#table, this.#dataset);
    this.#isSorted = true;
  }

  #closeAppender(): void {
    this.#appender?.close();
    this.#appender = null;
  }
}

export function duckDBStagingEngine(options: DuckDBStagingOptions = {}): StagingEngine {
  const { memoryLimitMegabytes = 768 } = options;
  return {
    formatOf: partitionFormat,
    upgradeFile: upgradePartitionFile,
    async openStage(
      dataset: Dataset,
      directory: string,
      signal: AbortSignal = new AbortController().signal,
    ): Promise<Stage> {
      const instance = await openLockedInstance({
        directory,
        spillDirectory: join(directory, 'spill'),
        memoryLimitMegabytes,
        threadCount: availableParallelism(),
      });
      const connection: DuckDBConnection = await instance.connect();
      const table = await createStageTable(connection, dataset);
      return new DuckDBStage(instance, dataset, table, directory, signal);
    },
  };
}
