/**
 * Pages of an explicit sort. The first page of a walk takes the greatest rows as it meets them; the
 * second one writes all of them to a file in order, which it and the later ones read from.
 */
import { existsSync } from 'node:fs';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { QueryPlan } from '../../plan/query-plan.ts';
import type { ColumnBatch } from '../columns.ts';
import {
  compileCount,
  compileSortedPage,
  compileSpill,
  compileSpilledPage,
} from './compile-query.ts';
import { walkKey } from './plan-key.ts';
import type { QueryConnections } from './query-connections.ts';
import { readBatch } from './read-batch.ts';
import type { HeldSpill, WalkSpills } from './walk-spills.ts';

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

  async *run(plan: QueryPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const spill = await this.#spillOf(plan, signal);
    try {
      for await (const chunk of this.#chunks(plan, spill, signal)) {
        yield readBatch(plan.columns, chunk);
      }
    } finally {
      spill?.release();
    }
  }

  async *#chunks(
    plan: QueryPlan,
    spill: HeldSpill | null,
    signal: AbortSignal,
  ): AsyncGenerator<DuckDBDataChunk> {
    if (spill) {
      let isBegun = false;
      try {
        for await (const chunk of this.#connections.chunks(
          compileSpilledPage(plan, spill.file),
          signal,
        )) {
          isBegun = true;
          yield chunk;
        }
        return;
      } catch (error) {
        // Somebody else has removed the file before it was opened.
        if (isBegun || signal.aborted || existsSync(spill.file)) throw error;
      }
    }
    yield* this.#connections.chunks(compileSortedPage(plan), signal);
  }

  async #spillOf(plan: QueryPlan, signal: AbortSignal): Promise<HeldSpill | null> {
    const key = walkKey(plan);
    if (plan.offset === 0) return this.#spills.hold(key);
    return await this.#spills.holdOrWrite(
      key,
      (file, whileWanted) => this.#write(plan, file, whileWanted),
      signal,
    );
  }

  async #write(plan: QueryPlan, file: string, signal: AbortSignal): Promise<boolean> {
    if (await this.#hasTooManyRows(plan, signal)) return false;
    await this.#connections.firstRow(compileSpill(plan, file), signal);
    return true;
  }

  async #hasTooManyRows(plan: QueryPlan, signal: AbortSignal): Promise<boolean> {
    const rowsAtMost = plan.partitions.reduce((sum, { rowCount }) => sum + rowCount, 0);
    if (rowsAtMost <= this.#rowsMax) return false;
    const query = compileCount(plan, this.#rowsMax + 1);
    const [count] = (await this.#connections.firstRow(query, signal)) ?? [];
    return Number(count) > this.#rowsMax;
  }
}
