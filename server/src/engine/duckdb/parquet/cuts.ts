/** Rows that are encoded anew: results of queries, written to temporary Parquet files. */

import { mkdirSync, rmSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { BUFFER_LIMITS } from '../../../base/budgets.ts';
import { eachAtOnce } from '../../../base/each-at-once.ts';
import { openProcessFolder } from '../../../base/process-lock.ts';
import { ArrivalQueue, Semaphore } from '../../../base/semaphore.ts';
import { fingerprintOf } from '../../plan-fingerprint.ts';
import { LOCAL_FILES } from '../folder-files.ts';
import type { CompiledQuery } from '../reading/compile-query.ts';
import type { QueryConnections } from '../reading/query-connections.ts';
import { quoteText } from '../sql-text.ts';
import { type GivenRowGroup, rowGroupsOf } from './assembly.ts';
import { footerOf, readFooter } from './footer.ts';
import { decodeThrift } from './thrift.ts';

/** Files up to this size are kept in memory instead. */
const IN_MEMORY_BYTES_MAX = 1_048_576;

interface TemporaryFile {
  /** Absolute path. */
  readonly path: string;
  /** All of it, where it is so small that it is no longer there. */
  readonly bytes: Buffer | null;
}

export class TemporaryFiles {
  readonly #directory: string;
  #count = 0;

  /** Removes what earlier processes have left below `parent`. */
  constructor(parent: string) {
    this.#directory = openProcessFolder(parent, 'answers');
  }

  /** A file that `write` writes; none is left where that fails. */
  async write(write: (path: string) => Promise<unknown>): Promise<TemporaryFile> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    // A name is never used again: the engine remembers the files that it has read.
    const path = join(this.#directory, `${this.#count++}.parquet`);
    try {
      await write(path);
      if ((await stat(path)).size > IN_MEMORY_BYTES_MAX) return { path, bytes: null };
      const bytes = await readFile(path);
      await rm(path);
      return { path, bytes };
    } catch (error) {
      this.remove([path]);
      throw error;
    }
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) rmSync(path, { force: true });
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Rows of a row group: as many as in partition files. */
export const CUT_ROW_GROUP_ROWS = 61_440;

/** Rows in a file of their own. */
export interface Cut {
  readonly file: TemporaryFile;
  readonly rowCount: number;
  readonly groups: readonly GivenRowGroup[];
}

/** A query whose rows are encoded. */
export interface CutQuery extends CompiledQuery {
  /** No more than these are known to be found before it runs. */
  readonly cellCountMax: number;
}

/**
 * The query has to end with an order of its rows, unless they are few and of one file: the size of
 * row groups would else be up to the threads that found them.
 */
function copySql({ sql, values, types }: CompiledQuery, targetFile: string): CompiledQuery {
  const options = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${CUT_ROW_GROUP_ROWS}, WRITE_BLOOM_FILTER false, USE_TMP_FILE false`;
  return { values, types, sql: `COPY (${sql}) TO ${quoteText(targetFile)} (${options})` };
}

async function footerOfCut({ path, bytes }: TemporaryFile): Promise<Buffer> {
  return bytes ? footerOf(bytes) : (await readFooter(LOCAL_FILES, path)).footer;
}

/** Files that are written at the same time. */
const AT_ONCE_MAX = 2;
/**
 * One file of more cells at a time: its query keeps the engine's threads busy, and has all rows and
 * two row groups in memory, which are 160 MB for 98,000 rows of 62 columns.
 */
const SMALL_CELLS_MAX = 2_000_000;

export class Cuts {
  readonly #connections: QueryConnections;
  readonly #files: TemporaryFiles;
  readonly #turns = new Semaphore<undefined>(AT_ONCE_MAX, new ArrivalQueue());
  readonly #largeTurn = new Semaphore<undefined>(1, new ArrivalQueue());
  /** Small ones, by their queries: what these read never changes. */
  readonly #kept = new LRUCache<string, Cut>({
    maxSize: BUFFER_LIMITS.cutRowGroups,
    sizeCalculation: ({ file }) => (file.bytes?.length ?? 0) + 1,
  });

  constructor(connections: QueryConnections, files: TemporaryFiles) {
    this.#connections = connections;
    this.#files = files;
  }

  /**
   * Writes the rows of each of the ordered queries to a file. None is left where one of them fails.
   */
  async of(queries: readonly CutQuery[], signal: AbortSignal): Promise<Cut[]> {
    const failed = new AbortController();
    const stopping = AbortSignal.any([signal, failed.signal]);
    const cuts: Cut[] = [];
    const cut = async ([index, query]: [number, CutQuery]) => {
      try {
        cuts[index] = await this.#cut(query, stopping);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    };
    try {
      await eachAtOnce([...queries.entries()], AT_ONCE_MAX, cut);
      return cuts;
    } catch (error) {
      this.remove(cuts.filter((each) => each !== undefined));
      throw error;
    }
  }

  remove(cuts: readonly Cut[]): void {
    this.#files.remove(cuts.flatMap(({ file }) => (file.bytes ? [] : [file.path])));
  }

  async #cut(query: CutQuery, signal: AbortSignal): Promise<Cut> {
    const key = fingerprintOf([query.sql, query.values]);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const cut = await this.write(query, signal);
    if (cut.file.bytes) this.#kept.set(key, cut);
    return cut;
  }

  /** Writes the rows of one query, without keeping them for the next. */
  async write(query: CutQuery, signal: AbortSignal): Promise<Cut> {
    const write = () =>
      this.#turns.run(undefined, () =>
        this.#files.write((path) => this.#connections.firstRow(copySql(query, path), signal)),
      );
    const isLarge = query.cellCountMax > SMALL_CELLS_MAX;
    const file = await (isLarge ? this.#largeTurn.run(undefined, write) : write());
    const footer = decodeThrift(await footerOfCut(file));
    const groups = rowGroupsOf(file.path, footer).filter(({ rowCount }) => rowCount > 0);
    const rowCount = groups.reduce((sum, group) => sum + group.rowCount, 0);
    return { file, rowCount, groups };
  }
}
