/**
 * Pages of an explicit sort, and of rows that changed. The first page of a walk picks its rows as
 * it meets them; the second one writes all rows to a file in order, which it and the later ones
 * read from.
 */

import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { ColumnBatch } from '../../columns.ts';
import type { MadeRows } from '../../engine.ts';
import { walkFingerprint } from '../../plan-fingerprint.ts';
import { type QueryPlan, sortedColumns } from '../../query-plan.ts';
import { isComparing } from '../../row-changes.ts';
import { quoteText } from '../sql-text.ts';
import { compileChangedPage, compileChangedSpill } from './compile-changes.ts';
import {
  compileCount,
  compileSortedPage,
  compileSpill,
  compileSpilledPage,
  SPILL_OPTIONS,
} from './compile-query.ts';
import type { FolderPlan } from './folder-plan.ts';
import { compileSortedRows, type MadeTables } from './made-rows.ts';
import type { ChunkOptions, QueryConnections } from './query-connections.ts';
import { readBatch } from './read-batch.ts';
import type { HeldSpill, WalkSpills } from './walk-spills.ts';

/**
 * More than any page has. A result of fewer rows is computed first and then handed out, which takes
 * less time and lets the next page begin earlier.
 */
const ROWS_AT_ONCE_MAX = 100_000;

export function isStreamed({ limit }: Pick<QueryPlan, 'limit'>): boolean {
  return limit > ROWS_AT_ONCE_MAX;
}

/**
 * A first page of at least this part of a walk writes the file as well: to pick so many rows is no
 * longer much cheaper than to sort them all.
 */
const LARGE_PAGE_PART = 1 / 32;

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const rowsOfParts = (plan: QueryPlan) => sum(plan.parts.map(({ rowCount }) => rowCount));

/** So few rows are found again for each page in less time than it takes to write a file of them. */
const FOUND_AGAIN_ROWS_MAX = 262_144;

/** Rows of the row groups that may hold rows of the walk, if all rows took the same bytes. */
function likelyRowsAtMost(plan: QueryPlan): number {
  if (plan.identifierRows) return plan.scannedRows;
  const byteCount = sum(plan.parts.map((part) => part.byteCount));
  const part = byteCount === 0 ? 1 : plan.scannedBytes / byteCount;
  return rowsOfParts(plan) * part;
}

function isWorthFile({ offset, limit }: QueryPlan, rowCount: number): boolean {
  return offset > 0 || (limit < rowCount && limit >= rowCount * LARGE_PAGE_PART);
}

/**
 * All rows that changed have to be found for the first of them: later pages shall not find them
 * again.
 */
function isWalkWorthFile(plan: QueryPlan): boolean {
  if (isComparing(plan)) return true;
  if (plan.identifierRows && plan.scannedRows <= FOUND_AGAIN_ROWS_MAX) return false;
  return isWorthFile(plan, likelyRowsAtMost(plan));
}

const pageOf = (plan: FolderPlan) =>
  isComparing(plan) ? compileChangedPage(plan) : compileSortedPage(plan);

const spillOf = (plan: FolderPlan, file: string) =>
  isComparing(plan) ? compileChangedSpill(plan, file) : compileSpill(plan, file);

interface SpilledPage {
  readonly connections: QueryConnections;
  readonly plan: QueryPlan;
  /** Null: there is no file. */
  readonly spill: HeldSpill | null;
  readonly signal: AbortSignal;
}

/** The plan's page out of the file of its walk, or found in another way where there is none. */
async function* spilledChunks(
  { connections, plan, spill, signal }: SpilledPage,
  otherwise: (options: ChunkOptions) => AsyncIterable<DuckDBDataChunk>,
): AsyncGenerator<DuckDBDataChunk> {
  const options = { isStreamed: isStreamed(plan) };
  if (spill) {
    let isBegun = false;
    try {
      const query = compileSpilledPage(plan, spill.file);
      for await (const chunk of connections.chunks(query, signal, options)) {
        isBegun = true;
        yield chunk;
      }
      return;
    } catch (error) {
      // Somebody else has removed the file before it was opened.
      if (isBegun || signal.aborted || existsSync(spill.file)) throw error;
    }
  }
  yield* otherwise(options);
}

/** The page as one in natural order of a file that has the rows of its walk in their order. */
function planOfFile(plan: FolderPlan, { file, rowCount }: HeldSpill): FolderPlan {
  const { comparedParts, identifierRows, naturalRows, cached, partScans, ...page } = plan;
  const part = { id: 0, key: '', location: basename(file), digest: file, rowCount, byteCount: 0 };
  return { ...page, root: dirname(file), parts: [part], isFound: true };
}

export class SortedPages {
  readonly #connections: QueryConnections;
  readonly #spills: WalkSpills;
  readonly #rowsMax: number;

  /** A walk of more than `rowsMax` rows is not written to a file. */
  constructor(connections: QueryConnections, spills: WalkSpills, rowsMax: number) {
    this.#connections = connections;
    this.#spills = spills;
    this.#rowsMax = rowsMax;
  }

  async *run(plan: FolderPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const spill = await this.#spillOf(plan, signal);
    try {
      for await (const chunk of this.#chunks(plan, spill, signal)) {
        yield readBatch(plan.columns, chunk);
      }
    } finally {
      spill?.release();
    }
  }

  /** Has a page read from the file of its walk; null: there is none, or it goes meanwhile. */
  async withFile<T>(
    plan: FolderPlan,
    read: (plan: FolderPlan) => Promise<T | null>,
    signal: AbortSignal,
  ): Promise<T | null> {
    const spill = await this.#spillOf(plan, signal);
    if (!spill) return null;
    try {
      return await read(planOfFile(plan, spill));
    } catch (error) {
      if (signal.aborted || existsSync(spill.file)) throw error;
      return null;
    } finally {
      spill.release();
    }
  }

  #chunks(
    plan: FolderPlan,
    spill: HeldSpill | null,
    signal: AbortSignal,
  ): AsyncGenerator<DuckDBDataChunk> {
    const connections = this.#connections;
    return spilledChunks({ connections, plan, spill, signal }, (options) =>
      connections.chunks(pageOf(plan), signal, options),
    );
  }

  async #spillOf(plan: FolderPlan, signal: AbortSignal): Promise<HeldSpill | null> {
    const key = walkFingerprint(plan);
    if (!isWalkWorthFile(plan)) return this.#spills.hold(key);
    return await this.#spills.holdOrWrite(
      key,
      plan.holder,
      (file, whileWanted) => this.#write(plan, file, whileWanted),
      signal,
    );
  }

  async #write(plan: FolderPlan, file: string, signal: AbortSignal): Promise<number | null> {
    if (await this.#hasTooManyRows(plan, signal)) return null;
    const [rowCount] = (await this.#connections.firstRow(spillOf(plan, file), signal)) ?? [];
    return Number(rowCount);
  }

  async #hasTooManyRows(plan: FolderPlan, signal: AbortSignal): Promise<boolean> {
    // Changed rows are mostly few, and counting them takes as long as finding them.
    if (isComparing(plan) || rowsOfParts(plan) <= this.#rowsMax) return false;
    const query = compileCount(plan, this.#rowsMax + 1);
    const [count] = (await this.#connections.firstRow(query, signal)) ?? [];
    return Number(count) > this.#rowsMax;
  }
}

/**
 * Pages of an explicit sort of rows that are made elsewhere. All of them are made and sorted once,
 * to a file that the later pages of the walk read from; where there can be none, for each page.
 */

/** Passes the rows on; `onFailure` is told why they end early. */
async function* watched(
  rows: AsyncIterable<ColumnBatch>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<ColumnBatch> {
  try {
    yield* rows;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

export class MadePages {
  readonly #connections: QueryConnections;
  readonly #tables: MadeTables;
  readonly #spills: WalkSpills;
  readonly #rowsMax: number;

  /** A walk of more than `rowsMax` rows is not written to a file. */
  constructor(
    connections: QueryConnections,
    tables: MadeTables,
    spills: WalkSpills,
    rowsMax: number,
  ) {
    this.#connections = connections;
    this.#tables = tables;
    this.#spills = spills;
    this.#rowsMax = rowsMax;
  }

  async *run(asked: QueryPlan, rows: MadeRows, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const spill = await this.#spillOf(asked, rows, signal);
    // The predicates chose what the rows are made of: they say nothing of the rows.
    const plan = { ...asked, predicates: [] };
    const connections = this.#connections;
    try {
      const chunks = spilledChunks({ connections, plan, spill, signal }, (options) =>
        this.#unspilled(plan, rows, signal, options),
      );
      for await (const chunk of chunks) yield readBatch(plan.columns, chunk);
    } finally {
      spill?.release();
    }
  }

  async #spillOf(plan: QueryPlan, rows: MadeRows, signal: AbortSignal): Promise<HeldSpill | null> {
    const failures: unknown[] = [];
    const spill = await this.#spills.holdOrWrite(
      walkFingerprint(plan),
      plan.holder,
      (file, whileWanted) => {
        const made = watched(rows(whileWanted), (error) => failures.push(error));
        return this.#write(plan, made, file, whileWanted);
      },
      signal,
    );
    // Running the failed queries again would fail again.
    if (spill === null && failures.length > 0) throw failures[0];
    return spill;
  }

  async #write(
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    file: string,
    signal: AbortSignal,
  ): Promise<number | null> {
    const table = await this.#tables.of(sortedColumns(plan), rows, signal);
    try {
      if (table.rowCount > this.#rowsMax) return null;
      const { sql, ...bound } = compileSortedRows(plan, table, 'all');
      const copy = { ...bound, sql: `COPY (${sql}) TO ${quoteText(file)} ${SPILL_OPTIONS}` };
      await this.#connections.firstRow(copy, signal);
      return table.rowCount;
    } finally {
      await table.drop();
    }
  }

  async *#unspilled(
    plan: QueryPlan,
    rows: MadeRows,
    signal: AbortSignal,
    options: ChunkOptions,
  ): AsyncGenerator<DuckDBDataChunk> {
    const table = await this.#tables.of(sortedColumns(plan), rows(signal), signal);
    try {
      yield* this.#connections.chunks(compileSortedRows(plan, table, 'page'), signal, options);
    } finally {
      await table.drop();
    }
  }
}
