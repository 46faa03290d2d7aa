/**
 * Pages of an explicit sort of rows that are made elsewhere. All of them are made and sorted once, to a file that the
 * later pages of the walk read from; where there can be none, for each page.
 */
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { ColumnBatch } from '../columns.ts';
import type { MadeRows } from '../engine.ts';
import { walkFingerprint } from '../plan-fingerprint.ts';
import { type QueryPlan, sortedColumns } from '../query-plan.ts';
import { SPILL_OPTIONS } from './compile-query.ts';
import { compileSortedRows, type MadeTables } from './made-rows.ts';
import type { ChunkOptions, QueryConnections } from './query-connections.ts';
import { readBatch } from './read-batch.ts';
import { spilledChunks } from './sorted-pages.ts';
import { quoteText } from './sql-text.ts';
import type { HeldSpill, WalkSpills } from './walk-spills.ts';

/** The same rows; `onFailure` is told why they end early. */
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
    // They would fail again.
    if (spill === null && failures.length > 0) throw failures[0];
    return spill;
  }

  async #write(
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    file: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const table = await this.#tables.of(sortedColumns(plan), rows, signal);
    try {
      if (table.rowCount > this.#rowsMax) return false;
      const { sql, ...bound } = compileSortedRows(plan, table, 'all');
      const copy = { ...bound, sql: `COPY (${sql}) TO ${quoteText(file)} ${SPILL_OPTIONS}` };
      await this.#connections.firstRow(copy, signal);
      return true;
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
