/**
 * Pages of an explicit sort, and of rows that changed. The first page of a walk picks its rows as
 * it meets them; the second one writes all rows to a file in order, which it and the later ones
 * read from.
 */

import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ColumnBatch } from '../../columns.ts';
import type { MadeRows } from '../../engine.ts';
import { OnlyValues } from '../../only-values.ts';
import { walkFingerprint } from '../../plan-fingerprint.ts';
import { type QueryPlan, sortedColumns } from '../../query-plan.ts';
import { isComparing } from '../../row-changes.ts';
import { quoteText } from '../sql-text.ts';
import { compileChangedPage, compileChangedSpill } from './compile-changes.ts';
import {
  type CompiledQuery,
  compileCount,
  compileSortedPage,
  compileSpill,
  SPILL_OPTIONS,
} from './compile-query.ts';
import type { FolderPlan } from './folder-plan.ts';
import { compileSortedRows, type MadeTables } from './made-rows.ts';
import { isStreamed, type NaturalPages } from './natural-pages.ts';
import type { QueryConnections } from './query-connections.ts';
import { readBatch } from './read-batch.ts';
import type { HeldSpill, WalkSpills } from './walk-spills.ts';

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

/** The page as one in natural order of a file that has the rows of its walk in their order. */
function planOfFile(
  plan: Omit<FolderPlan, 'root'>,
  { file, rowCount }: Omit<HeldSpill, 'release'>,
): FolderPlan {
  const { comparedParts, identifierRows, naturalRows, cached, partScans, ...page } = plan;
  const part = { id: 0, key: '', location: basename(file), digest: file, rowCount, byteCount: 0 };
  return { ...page, root: dirname(file), parts: [part], isFound: true };
}

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

interface SortedPagesOptions {
  readonly connections: QueryConnections;
  readonly tables: MadeTables;
  /** Reads files of walks. */
  readonly naturalPages: Pick<NaturalPages, 'run'>;
  readonly spills: WalkSpills;
  /** A walk of more rows is not written to a file. */
  readonly rowsMax: number;
}

export class SortedPages {
  readonly #options: SortedPagesOptions;

  constructor(options: SortedPagesOptions) {
    this.#options = options;
  }

  async *run(plan: FolderPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const spill = await this.#spillOf(plan, signal);
    yield* this.#page(plan, spill, signal, () => this.#batches(plan, pageOf, signal));
  }

  /**
   * A page of rows that are made elsewhere. All of them are made and sorted once, to the file;
   * where there can be none, for each page.
   */
  async *runMade(
    asked: QueryPlan,
    rows: MadeRows,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const spill = await this.#spillOfMade(asked, rows, signal);
    // The predicates chose what the rows are made of: they say nothing of the rows.
    const plan = { ...asked, predicates: [] };
    yield* this.#page(plan, spill, signal, () => this.#madeBatches(plan, rows, signal));
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

  /** Read from the file of its walk, or found in another way where there is none. */
  async *#page(
    plan: QueryPlan,
    spill: HeldSpill | null,
    signal: AbortSignal,
    otherwise: () => AsyncIterable<ColumnBatch>,
  ): AsyncGenerator<ColumnBatch> {
    if (spill) {
      let isBegun = false;
      try {
        const page = this.#options.naturalPages.run(planOfFile(plan, spill), signal);
        for await (const batch of page) {
          isBegun = true;
          yield batch;
        }
        return;
      } catch (error) {
        // Somebody else has removed the file before it was opened.
        if (isBegun || signal.aborted || existsSync(spill.file)) throw error;
      } finally {
        spill.release();
      }
    }
    yield* otherwise();
  }

  async *#batches<Plan extends QueryPlan>(
    plan: Plan,
    compile: (plan: Plan) => CompiledQuery,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const only = new OnlyValues(plan);
    const query = compile({ ...plan, columns: only.stored });
    const options = { isStreamed: isStreamed(plan) };
    for await (const chunk of this.#options.connections.chunks(query, signal, options)) {
      yield only.complete(readBatch(only.stored, chunk));
    }
  }

  async *#madeBatches(
    plan: QueryPlan,
    rows: MadeRows,
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const table = await this.#options.tables.of(sortedColumns(plan), rows(signal), signal);
    try {
      const pageOfTable = (asked: QueryPlan) => compileSortedRows(asked, table, 'page');
      yield* this.#batches(plan, pageOfTable, signal);
    } finally {
      await table.drop();
    }
  }

  async #spillOf(plan: FolderPlan, signal: AbortSignal): Promise<HeldSpill | null> {
    const { spills } = this.#options;
    const key = walkFingerprint(plan);
    if (!isWalkWorthFile(plan)) return spills.hold(key);
    return await spills.holdOrWrite(
      key,
      plan.holder,
      (file, whileWanted) => this.#write(plan, file, whileWanted),
      signal,
    );
  }

  async #spillOfMade(
    plan: QueryPlan,
    rows: MadeRows,
    signal: AbortSignal,
  ): Promise<HeldSpill | null> {
    const failures: unknown[] = [];
    const spill = await this.#options.spills.holdOrWrite(
      walkFingerprint(plan),
      plan.holder,
      (file, whileWanted) => {
        const made = watched(rows(whileWanted), (error) => failures.push(error));
        return this.#writeMade(plan, made, file, whileWanted);
      },
      signal,
    );
    // Running the failed queries again would fail again.
    if (spill === null && failures.length > 0) throw failures[0];
    return spill;
  }

  async #write(plan: FolderPlan, file: string, signal: AbortSignal): Promise<number | null> {
    if (await this.#hasTooManyRows(plan, signal)) return null;
    const [rowCount] =
      (await this.#options.connections.firstRow(spillOf(plan, file), signal)) ?? [];
    return Number(rowCount);
  }

  async #writeMade(
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    file: string,
    signal: AbortSignal,
  ): Promise<number | null> {
    const { tables, connections, rowsMax } = this.#options;
    const table = await tables.of(sortedColumns(plan), rows, signal);
    try {
      if (table.rowCount > rowsMax) return null;
      const { sql, ...bound } = compileSortedRows(plan, table, 'all');
      const copy = { ...bound, sql: `COPY (${sql}) TO ${quoteText(file)} ${SPILL_OPTIONS}` };
      await connections.firstRow(copy, signal);
      return table.rowCount;
    } finally {
      await table.drop();
    }
  }

  async #hasTooManyRows(plan: FolderPlan, signal: AbortSignal): Promise<boolean> {
    const { connections, rowsMax } = this.#options;
    // Changed rows are mostly few, and counting them takes as long as finding them.
    if (isComparing(plan) || rowsOfParts(plan) <= rowsMax) return false;
    const [count] = (await connections.firstRow(compileCount(plan, rowsMax + 1), signal)) ?? [];
    return Number(count) > rowsMax;
  }
}
