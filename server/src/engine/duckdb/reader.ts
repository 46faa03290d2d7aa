/** Reads parts that are Parquet files. */

import './failures.ts';
import { mkdirSync } from 'node:fs';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { Clock } from '../../base/clock.ts';
import type { ColumnBatch } from '../columns.ts';
import {
  type DayCount,
  type DirectFile,
  type EngineReader,
  type MadeRows,
  OutOfRangeError,
  type ParquetFile,
  type TextFormat,
  type TextPage,
  type UnreadablePartError,
} from '../engine.ts';
import type { TimeForm } from '../file-columns.ts';
import { type GroupedPlan, type QueryPlan, rowsOfGroups } from '../query-plan.ts';
import { folderFiles } from './folder-files.ts';
import { type LockedInstanceOptions, openLockedInstance } from './locked-instance.ts';
import type { DirectFiles } from './objects/direct-files.ts';
import { unreadable } from './objects/object-failures.ts';
import type { PartCache } from './objects/part-cache.ts';
import { isInOrder, ParquetPages } from './parquet/pages.ts';
import type { PartFiles } from './part-files.ts';
import { compileFoundGroups, compileMadeGroups } from './reading/compile-groups.ts';
import { type CompiledQuery, compileDayCounts } from './reading/compile-query.ts';
import { comparedFilesOf, type FolderPlan, filesOf } from './reading/folder-plan.ts';
import { MadeTables } from './reading/made-rows.ts';
import { isStreamed, NaturalPages } from './reading/natural-pages.ts';
import { PageWorkers } from './reading/page-workers.ts';
import { BROKEN_OFF, QueryConnections } from './reading/query-connections.ts';
import { readBatch } from './reading/read-batch.ts';
import { SortedPages } from './reading/sorted-pages.ts';
import { type WalkSpillOptions, WalkSpills } from './reading/walk-spills.ts';

/** DuckDB has no codes for them. */
const FILE_FAULTS = [
  /^IO Error: No files found that match the pattern /,
  /^IO Error: (Cannot|Could not) (open|read|stat|seek)/,
  // Object storage refused, or did not answer.
  /^HTTP Error: /,
  /^IO Error: .*error for HTTP /,
  / too small to be a Parquet file/,
  /No magic bytes found at end of file /,
  /Could not read enough bytes from file /,
  /Failed to read file /,
  /Footer length error in file /,
  /Invalid string encoding found in Parquet file /,
  /^Invalid Input Error: Invalid unicode /,
  // DuckDB's form of exceptions from elsewhere, such as those of its Parquet reader.
  /^Invalid Error: /,
  new RegExp(`^${BROKEN_OFF}`),
];

/** Messages about sums of more than 128 bits or 38 digits, and deviations that are no doubles. */
const OUT_OF_RANGE = /^(Out of Range Error|Conversion Error): /;

/** Names the file, or all that it may be where the engine does not say. */
function nameOf(files: readonly string[], message: string): string {
  const [first, last] = [files.at(0), files.at(-1)];
  const named = files.find((file) => message.includes(file)) ?? (files.length === 1 ? first : null);
  return named ? `the file ${named}` : `one of the ${files.length} files from ${first} to ${last}`;
}

/** An error that the files of a plan cause; null where it is about something else. */
function unreadableFile(plan: FolderPlan, error: unknown): UnreadablePartError | null {
  const { message } = error as Error;
  if (!FILE_FAULTS.some((fault) => fault.test(message))) return null;
  return unreadable(nameOf([...comparedFilesOf(plan), ...filesOf(plan)], message), error);
}

interface DuckDBReaderOptions extends LockedInstanceOptions {
  /** Absent: parts lie in `directory`. */
  readonly files?: PartFiles;
  /** Connections that are kept for the next query. */
  readonly idleConnectionsMax: number;
  readonly walks: SortedWalkOptions;
  /** Cells of a page that a worker makes. */
  readonly workerCellsMin: number;
  /** Folders that the engine may touch besides, where `files` are elsewhere. */
  readonly localDirectories?: readonly string[];
  /** Has some of the parts besides. */
  readonly cache?: PartCache | null;
  /** Absent: clients get no file from where parts lie. */
  readonly directFiles?: DirectFiles;
  /** Absent: nothing that it reads from can be away. */
  readonly warning?: () => Promise<string | null>;
}

export interface SortedWalkOptions extends WalkSpillOptions {
  /** Rows of the largest walk that is written to a file. */
  readonly rowsMax: number;
}

class DuckDBReader implements EngineReader {
  onWorkerDeath: (error: Error) => void = () => undefined;
  readonly #options: DuckDBReaderOptions;
  readonly #files: PartFiles;
  readonly #connections: QueryConnections;
  readonly #spills: WalkSpills;
  readonly #naturalPages: NaturalPages;
  readonly #sortedPages: SortedPages;
  readonly #tables: MadeTables;
  readonly #parquetPages: ParquetPages;
  readonly #workers: PageWorkers | null;

  constructor(instance: DuckDBInstance, options: DuckDBReaderOptions) {
    const { directory, files = folderFiles(directory), walks } = options;
    this.#options = options;
    this.#files = files;
    this.#workers = this.#openWorkers();
    this.#connections = new QueryConnections(instance, options.idleConnectionsMax, options.access);
    this.#spills = new WalkSpills(options.spillDirectory, walks);
    this.#naturalPages = new NaturalPages(this.#connections);
    const tables = new MadeTables(this.#connections);
    this.#tables = tables;
    this.#sortedPages = new SortedPages({
      ...{ connections: this.#connections, tables, naturalPages: this.#naturalPages },
      ...{ spills: this.#spills, rowsMax: walks.rowsMax },
    });
    const { spillDirectory } = options;
    this.#parquetPages = new ParquetPages(this.#connections, tables, files, spillDirectory);
  }

  /** Workers read parts in folders only: they have no keys of other places. */
  #openWorkers(): PageWorkers | null {
    const { files, directory, idleConnectionsMax, threadCount, workerCellsMin } = this.#options;
    if (files) return null;
    return new PageWorkers({
      ...{ directory, queriesMax: idleConnectionsMax },
      ...{ workersMax: threadCount, cellsMin: workerCellsMin },
      onDeath: (error) => this.onWorkerDeath(error),
    });
  }

  async *scan(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch> {
    signal.throwIfAborted();
    if (plan.parts.length === 0 && !plan.comparedParts?.length) return;
    const { located, release } = this.#locate(plan);
    const pages = isInOrder(plan) ? this.#naturalPages : this.#sortedPages;
    try {
      yield* pages.run(located, signal);
    } catch (error) {
      throw unreadableFile(located, error) ?? error;
    } finally {
      release();
    }
  }

  async text(plan: QueryPlan, format: TextFormat, signal: AbortSignal): Promise<TextPage | null> {
    const workers = this.#workers;
    if (!workers?.isLarge(plan) || isStreamed(plan)) return null;
    return await this.#withFiles(plan, (located) => {
      if (isInOrder(plan)) return workers.text(located, format, signal);
      const textOf = (ofFile: FolderPlan) => workers.text(ofFile, format, signal);
      return this.#sortedPages.withFile(located, textOf, signal);
    });
  }

  async parquet(
    plan: QueryPlan,
    signal: AbortSignal,
    times: TimeForm = 'nanoseconds',
  ): Promise<ParquetFile> {
    signal.throwIfAborted();
    return await this.#withFiles(plan, (located) =>
      this.#parquetPages.make(located, times, signal),
    );
  }

  async writeParquet(
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    signal: AbortSignal,
    times: TimeForm = 'nanoseconds',
  ): Promise<ParquetFile> {
    signal.throwIfAborted();
    return await this.#parquetPages.write(plan, rows, times, signal);
  }

  async *sortRows(
    plan: QueryPlan,
    rows: MadeRows,
    signal: AbortSignal,
  ): AsyncIterable<ColumnBatch> {
    signal.throwIfAborted();
    yield* this.#sortedPages.runMade(plan, rows, signal);
  }

  async *aggregate(
    plan: GroupedPlan,
    signal: AbortSignal,
    rows?: MadeRows,
  ): AsyncIterable<ColumnBatch> {
    signal.throwIfAborted();
    if (rows) return yield* this.#madeGroups(plan, rows(signal), signal);
    if (plan.parts.length === 0) return;
    const { located, release } = this.#locate(plan);
    try {
      yield* this.#groups(plan, compileFoundGroups({ ...located, groups: plan.groups }), signal);
    } catch (error) {
      throw unreadableFile(located, error) ?? error;
    } finally {
      release();
    }
  }

  async *#madeGroups(plan: GroupedPlan, rows: AsyncIterable<ColumnBatch>, signal: AbortSignal) {
    const table = await this.#tables.of(rowsOfGroups(plan).columns, rows, signal);
    try {
      yield* this.#groups(plan, compileMadeGroups(plan, table), signal);
    } finally {
      await table.drop();
    }
  }

  async *#groups(
    { columns, limit }: GroupedPlan,
    query: CompiledQuery,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const options = { isStreamed: isStreamed({ limit }) };
    try {
      for await (const chunk of this.#connections.chunks(query, signal, options)) {
        yield readBatch(columns, chunk);
      }
    } catch (error) {
      throw OUT_OF_RANGE.test((error as Error).message) ? new OutOfRangeError(error) : error;
    }
  }

  async countByDay(plan: QueryPlan, signal: AbortSignal): Promise<readonly DayCount[]> {
    signal.throwIfAborted();
    if (plan.parts.length === 0) return [];
    return await this.#withFiles(plan, async (located) => {
      const counts: DayCount[] = [];
      for await (const chunk of this.#connections.chunks(compileDayCounts(located), signal)) {
        for (const [date, rows, identifiers] of chunk.getRows()) {
          const identifierCount = identifiers === null ? null : Number(identifiers);
          counts.push({ date: String(date), rowCount: Number(rows), identifierCount });
        }
      }
      return counts;
    });
  }

  async directUrl(file: DirectFile, clock: Clock): Promise<string | null> {
    return (await this.#options.directFiles?.urlOf(file, clock)) ?? null;
  }

  async #withFiles<T>(plan: QueryPlan, use: (located: FolderPlan) => Promise<T>): Promise<T> {
    const { located, release } = this.#locate(plan);
    try {
      return await use(located);
    } catch (error) {
      throw unreadableFile(located, error) ?? error;
    } finally {
      release();
    }
  }

  #locate(plan: QueryPlan): { readonly located: FolderPlan; release(): void } {
    const { root } = this.#files;
    const cached = this.#options.cache?.hold([...plan.parts, ...(plan.comparedParts ?? [])]);
    if (!cached) return { located: { ...plan, root }, release: () => undefined };
    return { located: { ...plan, root, cached }, release: cached.release };
  }

  async check(): Promise<void> {
    const query = { sql: 'SELECT 1', values: [], types: [] };
    await this.#connections.firstRow(query, new AbortController().signal);
  }

  async warning(): Promise<string | null> {
    return (await this.#options.warning?.()) ?? null;
  }

  async close(): Promise<void> {
    await this.#workers?.close();
    await this.#options.cache?.close();
    this.#spills.close();
    this.#parquetPages.close();
    this.#connections.close();
  }
}

export async function openDuckDBReader(options: DuckDBReaderOptions): Promise<EngineReader> {
  mkdirSync(options.spillDirectory, { recursive: true });
  const { files } = options;
  const instance = await openLockedInstance({
    ...options,
    ...(files && { directory: files.root, otherDirectories: options.localDirectories ?? [] }),
    readsPages: true,
  });
  return new DuckDBReader(instance, options);
}
