/** Pages of plans, in natural order or sorted: from all sources at once, in one order. */
import { LRUCache } from 'lru-cache';
import type { Column } from '../../catalog/dataset.ts';
import type { ColumnBatch } from '../columns.ts';
import type { RowRange } from '../part.ts';
import { rowsFingerprint } from '../plan-fingerprint.ts';
import type { QueryPlan } from '../query-plan.ts';
import { type CompareRows, mergedBlocks } from './merge-blocks.ts';
import { cellOf, compareCells } from './row-order.ts';
import { KnownRuns, segmentsOf } from './runs.ts';
import { type Shard, shardAt } from './shards.ts';
import { countRows, type RowBlock, type RowsAsked, readRows, slicedBlock } from './source-rows.ts';
import { type Source, sourcesOf, windowOf } from './sources.ts';

/** Rows that are looked through first; each time that they are too few, four times as many. */
const FIRST_WINDOW_ROWS = 65_536;
const WINDOW_GROWTH = 4;
const WINDOW_ROWS_MAX = 16 * 1_048_576;
/** Rows that are read at once where all are found: a server sorts what it reads. */
const SEGMENT_ROWS_MAX = 1_048_576;
/** Walks whose next page is known to begin at some place, about 100 bytes each. */
const KNOWN_PLACES_MAX = 20_000;

const byPosition: CompareRows = (a, rowOfA, b, rowOfB) =>
  (a.positions[rowOfA] as number) - (b.positions[rowOfB] as number);

/** `keys` are the places of the sort's columns among those of the blocks. */
function bySort(sort: QueryPlan['sort'], keys: readonly number[]): CompareRows {
  return (a, rowOfA, b, rowOfB) => {
    for (const [k, { descending }] of sort.entries()) {
      const key = keys[k] as number;
      const [left, right] = [a.columns[key], b.columns[key]];
      if (!left || !right) continue;
      const order = compareCells(cellOf(left, rowOfA), cellOf(right, rowOfB), descending);
      if (order !== 0) return order;
    }
    return byPosition(a, rowOfA, b, rowOfB);
  };
}

/** The page's rows; the streams, which are limited, come to their end, since only then their rows are known to be all. */
async function* paged(
  blocks: AsyncIterable<RowBlock>,
  offset: number,
  limit: number,
): AsyncGenerator<RowBlock> {
  let [skip, left] = [offset, limit];
  for await (const block of blocks) {
    const start = Math.min(skip, block.rowCount);
    skip -= start;
    const end = Math.min(block.rowCount, start + left);
    if (end > start) yield slicedBlock(block, start, end);
    left -= end - start;
  }
}

function batchOf({ rowCount, columns }: RowBlock, columnCount: number): ColumnBatch {
  return { rowCount, columns: columns.slice(0, columnCount) };
}

export class Pages {
  readonly #shards: readonly Shard[];
  /** The places at which later pages of walks begin. */
  readonly #places = new LRUCache<string, number>({ max: KNOWN_PLACES_MAX });

  readonly #runs: KnownRuns;

  constructor(shards: readonly Shard[]) {
    this.#shards = shards;
    this.#runs = new KnownRuns(shards);
  }

  async *sorted(plan: QueryPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const { sources, rowCount } = sourcesOf(plan, plan.parts);
    const isOne = sources.length === 1;
    const names = plan.columns.map(({ name }) => name);
    const others = isOne
      ? []
      : plan.sort.map(({ column }) => column).filter(({ name }) => !names.includes(name));
    const columns: readonly Column[] = [...plan.columns, ...others];
    const keys = plan.sort.map(({ column }) =>
      columns.findIndex(({ name }) => name === column.name),
    );
    const last = plan.offset + plan.limit + 1;
    const asked = { columns, sort: plan.sort, start: 0, end: rowCount };
    // Any source may have all rows before the page's last one.
    const page = isOne
      ? { offset: plan.offset, limit: plan.limit + 1 }
      : { offset: 0, limit: last };
    const streams = this.#streams(sources, { ...asked, ...page }, signal);
    const blocks = mergedBlocks(streams, bySort(plan.sort, keys));
    const rows = isOne ? blocks : paged(blocks, plan.offset, plan.limit + 1);
    for await (const block of rows) yield batchOf(block, plan.columns.length);
  }

  async *natural(plan: QueryPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    let nextRow = 0;
    for await (const block of this.#naturalBlocks(plan, signal)) {
      const beyond = plan.limit - nextRow;
      nextRow += block.rowCount;
      if (beyond < block.rowCount) {
        this.#places.set(
          placeKey(plan, plan.offset + plan.limit),
          block.positions[beyond] as number,
        );
      }
      yield batchOf(block, plan.columns.length);
    }
  }

  async *#naturalBlocks(plan: QueryPlan, signal: AbortSignal): AsyncGenerator<RowBlock> {
    const { sources, rowCount } = sourcesOf(plan, plan.parts);
    const runs = await this.#runs.of(plan, sources, signal);
    if (runs !== null) return yield* this.#segments(plan, sources, runs, signal);
    let { start, skip, rows: windowRows } = this.#beginning(plan);
    let left = plan.limit + 1;
    while (start < rowCount && left > 0) {
      const window = { start, end: Math.min(rowCount, start + windowRows) };
      const found = skip === 0 ? left : await this.#count(sources, window, signal);
      if (found > skip) {
        for await (const block of this.#window(plan, sources, { ...window, skip, left }, signal)) {
          left -= block.rowCount;
          yield block;
        }
      }
      skip = Math.max(0, skip - found);
      start = window.end;
      windowRows = Math.min(windowRows * WINDOW_GROWTH, WINDOW_ROWS_MAX);
    }
  }

  /** The page out of runs, whose rows are all found: none is held against conditions again. */
  async *#segments(
    { columns, offset, limit }: QueryPlan,
    sources: readonly Source[],
    runs: readonly RowRange[],
    signal: AbortSignal,
  ): AsyncGenerator<RowBlock> {
    const bare = sources.map((source) => ({ ...source, conditions: [] }));
    for (const segment of segmentsOf(runs, offset, limit + 1)) {
      for (let { start } = segment; start < segment.end; start += SEGMENT_ROWS_MAX) {
        const end = Math.min(segment.end, start + SEGMENT_ROWS_MAX);
        const asked = { columns, sort: [], start, end, offset: 0, limit: end - start };
        yield* mergedBlocks(this.#streams(bare, asked, signal), byPosition);
      }
    }
  }

  /** Where a page begins to look for rows, and how many of the first that it finds it leaves out. */
  #beginning(plan: QueryPlan): { start: number; skip: number; rows: number } {
    const { offset } = plan;
    const start = this.#places.get(placeKey(plan, offset));
    const begin = start === undefined ? { start: 0, skip: offset } : { start, skip: 0 };
    return { ...begin, rows: FIRST_WINDOW_ROWS };
  }

  #window(
    { columns }: QueryPlan,
    sources: readonly Source[],
    { start, end, skip, left }: Record<'start' | 'end' | 'skip' | 'left', number>,
    signal: AbortSignal,
  ): AsyncGenerator<RowBlock> {
    const asked = { columns, sort: [], start, end, offset: 0, limit: skip + left };
    return paged(mergedBlocks(this.#streams(sources, asked, signal), byPosition), skip, left);
  }

  async #count(
    sources: readonly Source[],
    window: { readonly start: number; readonly end: number },
    signal: AbortSignal,
  ): Promise<number> {
    const counts = await Promise.all(
      windowed(sources, window).map((source) =>
        countRows(this.#shardOf(source), source, window, signal),
      ),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  #streams(sources: readonly Source[], asked: RowsAsked, signal: AbortSignal) {
    return windowed(sources, asked).map((source) =>
      readRows(this.#shardOf(source), source, asked, signal),
    );
  }

  #shardOf({ shard }: Source): Shard {
    return shardAt(this.#shards, shard);
  }
}

function windowed(sources: readonly Source[], { start, end }: Pick<RowsAsked, 'start' | 'end'>) {
  return sources.flatMap((source) => windowOf(source, start, end) ?? []);
}

function placeKey(plan: QueryPlan, offset: number): string {
  return `${rowsFingerprint(plan)} ${offset}`;
}
