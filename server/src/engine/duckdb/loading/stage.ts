/**
 * Stages in DuckDB: loaded rows lie in a table that spills to the stage's directory, are sorted
 * where they do not come sorted, and leave as partition files.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { atEnd } from '../../../base/at-end.ts';
import type { CheckRule } from '../../../catalog/checks.ts';
import type { Dataset } from '../../../catalog/dataset.ts';
import type { ColumnBatch } from '../../columns.ts';
import type {
  BrokenRows,
  Evening,
  ExistingPart,
  PartComparison,
  PartWriter,
  RemovedRows,
  WrittenDate,
} from '../../engine.ts';
import type { ParquetLoader, RecordLoader } from '../../file-loading.ts';
import type { Part, WrittenPart } from '../../part.ts';
import { type PartFiles, removePart } from '../part-files.ts';
import { partitionSql } from '../reading/folder-plan.ts';
import { type ExistingFile, findBrokenRows } from './check-rules.ts';
import { setClocks } from './clocks.ts';
import { compareWithRows, stagedDates } from './compare-part.ts';
import { loadParquet } from './load-parquet.ts';
import {
  type LoadTarget,
  loadNumberedRecords,
  loadPlainRecords,
  readTexts,
  withBlockFile,
} from './load-records.ts';
import { PackedRows } from './packed-rows.ts';
import { PLAIN_ROWS_MAX, ROWS_TOGETHER_MAX, writeParquetPartitions } from './parquet-writer.ts';
import type { PartitionTarget } from './partition-rows.ts';
import { BatchAppender } from './stage-append.ts';
import type { StageEngine, StageEngines } from './stage-engines.ts';
import { StageWatch } from './stage-space.ts';
import {
  columnList,
  createStageTable,
  fillTable,
  isInNaturalOrder,
  redateStaged,
  type StageTable,
  sortStageTable,
  stagedPartitions,
} from './stage-table.ts';

/** Planning the statement that reads a block takes as long as parsing so many fields. */
const PLAIN_FIELDS_MIN = 10_000;

/** Each partition that is sorted by itself takes a look at every row's partition. */
const PARTITIONS_SORTED_APART_MAX = 32;

/** Small partitions that are written and read back together, and their rows. */
const PARTITIONS_AT_ONCE_MAX = 64;
const ROWS_AT_ONCE_MAX = 100_000;

const MEBIBYTE = 1024 ** 2;

export interface StageOptions {
  /** The files of parts. */
  readonly files: PartFiles;
  readonly engines: StageEngines;
  /** Memory that a stage may fill before it spills to disk. */
  readonly memoryLimitMegabytes: number;
  /** Disk space that a stage may take for rows that do not fit into memory. */
  readonly stagingBytesMax: number;
}

interface StageParts {
  readonly engines: StageEngines;
  readonly engine: StageEngine;
  readonly table: StageTable;
  readonly packed: PackedRows;
  readonly watch: StageWatch;
  readonly files: PartFiles;
}

/** The partition and those behind it that, with it, are few and have few rows. */
function together(
  rowCounts: ReadonlyMap<string, number>,
  key: string,
  partitionsMax: number,
): string[] {
  const keys = [key];
  let sum = rowCounts.get(key) ?? 0;
  const isPlain = sum <= PLAIN_ROWS_MAX;
  const rowsMax = isPlain ? ROWS_TOGETHER_MAX : ROWS_AT_ONCE_MAX;
  for (const [other, rowCount] of rowCounts) {
    if (other <= key) continue;
    sum += rowCount;
    if (sum > rowsMax || keys.length === partitionsMax) break;
    if (isPlain && rowCount > PLAIN_ROWS_MAX) break;
    keys.push(other);
  }
  return keys;
}

class DuckDBStage implements PartWriter {
  readonly records: RecordLoader = {
    plainFieldsMin: PLAIN_FIELDS_MIN,
    loadPlainRecords: (block, turn) => {
      const use = (file: string) => this.#load(() => loadPlainRecords(this.#table, block, file));
      return withBlockFile(this.#engine.space, block, use, turn);
    },
    loadNumberedRecords: (block, shownCount) =>
      this.#load(() => loadNumberedRecords(this.#target, block, shownCount)),
    readTexts: (block) => this.#load(() => readTexts(this.#target, block)),
  };
  readonly parquet: ParquetLoader = {
    loadParquet: (source) => this.#load(() => loadParquet(this.#target, source)),
  };
  readonly #engines: StageEngines;
  readonly #engine: StageEngine;
  readonly #packed: PackedRows;
  readonly #watch: StageWatch;
  readonly #files: PartFiles;
  /** Files that were put since the last flush. */
  readonly #unflushed: string[] = [];
  /** Parts that lie in the stage's folder until they are asked for, by their keys. */
  readonly #writtenAhead = new Map<string, WrittenPart>();
  /** Doubles as long as partitions are asked for one after the other. */
  #partitionsAtOnce = 1;
  /** The rows that are not packed. */
  #loose: StageTable;
  /** Counts the rows that were appended to it; null: no more rows are packed. */
  #looseCount: number | null = 0;
  #appender: BatchAppender | null = null;
  /** True if the table is in natural order; null if unknown since rows were added. */
  #isSorted: boolean | null = null;
  /** True if its rows came in natural order; null if unknown since rows were added. */
  #cameInOrder: boolean | null = null;

  constructor({ engines, engine, table, packed, watch, files }: StageParts) {
    this.#engines = engines;
    this.#engine = engine;
    this.#loose = table;
    this.#packed = packed;
    this.#watch = watch;
    this.#files = files;
  }

  async append(batch: ColumnBatch): Promise<void> {
    for (let first = 0; first < batch.rowCount; ) {
      const left = this.#packed.rowsPerFile - (this.#looseCount ?? Number.NEGATIVE_INFINITY);
      const end = Math.min(batch.rowCount, first + left);
      const { connection, name, dataset } = this.#loose;
      this.#appender ??= new BatchAppender(
        await connection.createAppender(name, 'main', 'temp'),
        dataset.columns,
      );
      this.#appender.append(batch, first, end);
      if (this.#looseCount !== null) this.#looseCount += end - first;
      if (this.#looseCount === this.#packed.rowsPerFile) await this.#pack();
      first = end;
    }
    this.#forgetOrder();
  }

  async partitionKeys(): Promise<string[]> {
    return [...(await this.#partitions()).keys()];
  }

  async rowCount(key: string): Promise<number> {
    return (await this.#partitions()).get(key) ?? 0;
  }

  async dates(identifiers: readonly string[] = []): Promise<readonly WrittenDate[]> {
    return await this.#appended(() => stagedDates(this.#table, identifiers));
  }

  async redate(evening: Evening): Promise<number> {
    return await this.#appended(async () => {
      await this.#unpack();
      this.#forgetOrder();
      return await redateStaged(this.#table, evening);
    });
  }

  async compare(
    key: string,
    existing: Pick<Part, 'location' | 'storedColumns'>,
    removed: RemovedRows | null,
  ): Promise<PartComparison> {
    return await this.#appended(() =>
      this.#withRows(key, existing, (source) =>
        compareWithRows({ table: this.#table, key, source }, removed),
      ),
    );
  }

  async check(
    rules: readonly CheckRule[],
    existing: ReadonlyMap<string, ExistingPart>,
  ): Promise<BrokenRows[]> {
    const existingFiles: ExistingFile[] = [];
    const hasKeys = rules.some(({ kind }) => kind === 'keys');
    try {
      for (const [key, part] of hasKeys ? existing : []) {
        const file = join(this.#engine.space.directory, `checked-${key}.parquet`);
        await this.#files.bring(this.#nameOf(part.location), file);
        const source = partitionSql(file, part, this.#table.dataset);
        existingFiles.push({ key, file, source, removed: part.removed });
      }
      return await this.#appended(async () => {
        const isInOrder = hasKeys && (await this.#isInOrder());
        return await findBrokenRows({ table: this.#table, existingFiles, isInOrder }, rules);
      });
    } finally {
      for (const { file } of existingFiles) await rm(file, { force: true });
    }
  }

  async write(key: string, location: string, existing: ExistingPart | null): Promise<WrittenPart> {
    return await this.#appended(() => this.#write(key, location, existing));
  }

  async flush(): Promise<void> {
    await this.#files.flush(this.#unflushed.splice(0));
  }

  async close(): Promise<void> {
    let isClosed = false;
    // Rows that are still being packed may fail below.
    using _engines = atEnd(() =>
      this.#engines.give(this.#engine, isClosed && !this.#watch.hasFailed),
    );
    using _table = atEnd(() => this.#loose.connection.closeSync());
    await using _packed = atEnd(() => this.#packed.remove());
    this.#closeAppender();
    this.#dropAhead();
    isClosed = true;
  }

  async #partitions(): Promise<ReadonlyMap<string, number>> {
    return await this.#appended(() => stagedPartitions(this.#table));
  }

  /** Runs what needs to see all rows. */
  async #appended<T>(work: () => Promise<T>): Promise<T> {
    return await this.#watch.run(this.#loose.connection, async () => {
      this.#appender?.flush();
      await this.#packed.settled();
      return await work();
    });
  }

  /** Begins to pack the rows, and makes room for others. */
  async #pack(): Promise<void> {
    this.#closeAppender();
    const full = this.#loose;
    await this.#packed.add(full, (work) => this.#watch.run(full.connection, work));
    const connection = await this.#engine.instance.connect();
    this.#loose = await createStageTable(connection, full.dataset);
    this.#looseCount = 0;
  }

  /** Brings packed rows back: from now on the table has all of them. */
  async #unpack(): Promise<void> {
    this.#closeAppender();
    this.#looseCount = null;
    if (this.#packed.isEmpty) return;
    await fillTable(
      this.#loose,
      `SELECT ${columnList(this.#loose.dataset)} FROM ${this.#table.name}`,
    );
    await this.#packed.remove();
  }

  /** All rows, to be read. */
  get #table(): StageTable {
    return this.#packed.before(this.#loose);
  }

  async #load<T>(work: () => Promise<T>): Promise<T> {
    return await this.#appended(async () => {
      await this.#unpack();
      this.#forgetOrder();
      await setClocks(this.#table.connection, this.#table.dataset);
      return await work();
    });
  }

  async #write(key: string, location: string, existing: ExistingPart | null): Promise<WrittenPart> {
    const isSorted = await this.#sort(existing?.removed?.dates ? 0 : PARTITIONS_SORTED_APART_MAX);
    // The engine may touch this folder only: what it reads is brought, what it wrote is moved.
    const written = this.#fileOf(key);
    using _written = atEnd(() => removePart(written));
    const part = existing
      ? await this.#writeBeside(key, existing, isSorted)
      : await this.#writeAhead(key, isSorted);
    const file = this.#nameOf(location);
    await this.#files.put(written, file);
    this.#unflushed.push(file);
    return part;
  }

  #fileOf(key: string): string {
    return join(this.#engine.space.directory, `written-${key}.parquet`);
  }

  /** Writes the rows of a partition together with those that stay of a part. */
  async #writeBeside(key: string, existing: ExistingPart, isSorted: boolean): Promise<WrittenPart> {
    this.#dropAhead();
    return await this.#withRows(key, existing, async (source) => {
      const taken = { source, removed: existing.removed };
      const rowsMax = existing.rowCount + ((await stagedPartitions(this.#table)).get(key) ?? 0);
      const file = { key, rowsMax, targetFile: this.#fileOf(key) };
      const join = await this.#joinOf(key);
      const target = { ...file, existing: taken, isSorted, join };
      return (await writeParquetPartitions(this.#table, [target]))[0] as WrittenPart;
    });
  }

  /** Writes the rows of a partition alone and, where they are few, of those that follow it. */
  async #writeAhead(key: string, isSorted: boolean): Promise<WrittenPart> {
    const known = this.#writtenAhead.get(key);
    this.#writtenAhead.delete(key);
    if (known) return known;
    this.#dropAhead();
    this.#partitionsAtOnce = Math.min(2 * this.#partitionsAtOnce, PARTITIONS_AT_ONCE_MAX);
    const rowCounts = await stagedPartitions(this.#table);
    const keys = together(rowCounts, key, this.#partitionsAtOnce);
    const join = await this.#joinOf(key);
    const targets = keys.map((each) => {
      const rowsMax = rowCounts.get(each) ?? 0;
      return { key: each, rowsMax, targetFile: this.#fileOf(each), existing: null, isSorted, join };
    });
    const [first, ...others] = await writeParquetPartitions(this.#table, targets);
    for (const [p, part] of others.entries()) this.#writtenAhead.set(keys[p + 1] as string, part);
    return first as WrittenPart;
  }

  /** Joins a partition; null: no rows are packed, or some are of another partition. */
  async #joinOf(key: string): Promise<PartitionTarget['join']> {
    const rowCounts = await stagedPartitions(this.#table);
    if (this.#packed.isEmpty || rowCounts.size > 1 || !rowCounts.has(key)) return null;
    return (file, around) => this.#packed.join(this.#loose, file, around, this.#watch.signal);
  }

  #dropAhead(): void {
    if (this.#writtenAhead.size > 0) this.#partitionsAtOnce = 1;
    for (const key of this.#writtenAhead.keys()) removePart(this.#fileOf(key));
    this.#writtenAhead.clear();
  }

  /** Runs `use` with the SQL of the part's rows where the engine may read them. */
  async #withRows<T>(
    key: string,
    existing: Pick<Part, 'location' | 'storedColumns'>,
    use: (source: string) => Promise<T>,
  ): Promise<T> {
    const brought = join(this.#engine.space.directory, `existing-${key}.parquet`);
    await this.#files.bring(this.#nameOf(existing.location), brought);
    await using _removal = atEnd(() => rm(brought, { force: true }));
    return await use(partitionSql(brought, existing, this.#table.dataset));
  }

  #nameOf(location: string): string {
    return `${this.#files.root}/${location}`;
  }

  get #target(): LoadTarget {
    return { table: this.#table, directory: this.#engine.space.directory };
  }

  /**
   * Sorts the whole table where there are more partitions than `partitionsMax`, which are then read
   * out of it; a few are sorted one by one as they are written. Where dates are replaced, the table
   * is sorted, too, so that the rows which stay need not be. Resolves with whether it is in natural
   * order.
   */
  async #sort(partitionsMax: number): Promise<boolean> {
    if (this.#isSorted || (this.#isSorted === false && partitionsMax > 0)) return this.#isSorted;
    // Sorting replaces the table, so an appender to the old one must not outlive it.
    this.#closeAppender();
    this.#isSorted = await this.#isInOrder();
    if (this.#isSorted) return true;
    if ((await stagedPartitions(this.#table)).size <= partitionsMax) return false;
    await this.#unpack();
    await sortStageTable(this.#table);
    this.#isSorted = true;
    return true;
  }

  async #isInOrder(): Promise<boolean> {
    this.#cameInOrder ??= await isInNaturalOrder(this.#table);
    return this.#cameInOrder;
  }

  #forgetOrder(): void {
    this.#isSorted = null;
    this.#cameInOrder = null;
    this.#table.daysByColumn.clear();
    this.#table.rowCounts.clear();
    this.#dropAhead();
  }

  #closeAppender(): void {
    this.#appender?.close();
    this.#appender = null;
  }
}

/** Opens an empty stage, which has an engine to itself until it is closed. */
export async function openStage(
  { files, engines, memoryLimitMegabytes, stagingBytesMax }: StageOptions,
  dataset: Dataset,
  signal: AbortSignal,
): Promise<PartWriter> {
  const engine = await engines.take(memoryLimitMegabytes);
  try {
    const connection = await engine.instance.connect();
    const table = await createStageTable(connection, dataset);
    const { spillDirectory, space } = engine;
    const packedDirectory = join(space.directory, 'packed');
    const spillDirectories = [spillDirectory, packedDirectory];
    const watch = new StageWatch({ spillDirectories, spillBytesMax: stagingBytesMax, signal });
    const packed = new PackedRows(dataset, packedDirectory, memoryLimitMegabytes * MEBIBYTE);
    return new DuckDBStage({ engines, engine, table, packed, watch, files });
  } catch (error) {
    engines.give(engine, false);
    throw error;
  }
}
