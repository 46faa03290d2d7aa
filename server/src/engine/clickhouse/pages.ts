/** Pages of plans, in natural order or sorted: from all sources at once, in one order. */
import { LRUCache } from 'lru-cache';
import type { ColumnBatch } from '../columns.ts';
import type { RowRange } from '../part.ts';
import { rowsFingerprint } from '../plan-fingerprint.ts';
import type { QueryPlan } from '../query-plan.ts';
import { findsEveryRow } from './conditions.ts';
import { byKeys, byPosition, type CompareRows, mergedBlocks } from './merged-blocks.ts';
import { type Shard, shardAt } from './shards.ts';
import {
  askedOf,
  countRows,
  numberColumn,
  positionSql,
  type RowBlock,
  type RowsAsked,
  readRows,
  rowsSql,
  rowsWithin,
  type Source,
  slicedBlock,
  sourcesOf,
  windowed,
} from './sources.ts';

/** Rows that are looked through first; each time that they are too few, four times as many. */
const FIRST_WINDOW_ROWS = 65_536;
const WINDOW_GROWTH = 4;
const WINDOW_ROWS_MAX = 16 * 1_048_576;
/** Rows that are read at once where all are found: a server sorts what it reads. */
const SEGMENT_ROWS_MAX = 1_048_576;
/** Walks whose next page is known to begin at some place, about 100 bytes each. */
const KNOWN_PLACES_MAX = 20_000;
/** Rows that are looked through for runs: with more, pages are found on the way. */
const LOOKED_THROUGH_MAX = 2_097_152;
/** Runs that are remembered, about 100 bytes each. */
const KNOWN_RUNS_MAX = 100_000;

/**
 * Rows that a plan finds side by side: in each part one run of the natural order, such as the ticks
 * of a ticker on a day. Once the runs are known, a page is read by its ordinals alone, however deep
 * it lies. Null: rows that are found lie between others.
 */
type Runs = readonly RowRange[] | null;

/** The runs of a source, in no order; null: some part has no run. */
async function runsOfSource(shard: Shard, source: Source, signal: AbortSignal): Promise<Runs> {
  const place = positionSql(source);
  const selected = [`min(${place})`, `max(${place})`, 'count()'].map((sql) => `toFloat64(${sql})`);
  const query = {
    ...askedOf(source, shard),
    columns: ['first', 'last', 'found'].map(numberColumn),
    sqlFrom: (skippedRows: number) =>
      `SELECT ${selected.join(', ')} ${rowsSql(source, shard)} GROUP BY part ORDER BY 1 ` +
      `LIMIT ${skippedRows}, ${source.parts.length}`,
  };
  const runs: RowRange[] = [];
  for await (const { rowCount, columns } of shard.batches(query, signal)) {
    for (let row = 0; row < rowCount; row++) {
      const [start, last, found] = columns.map(({ values }) => values[row]) as [
        ...[number, number, number],
      ];
      if (last - start + 1 !== found) return null;
      runs.push({ start, end: last + 1 });
    }
  }
  return runs;
}

/** Ranges of the `limit` rows from `offset` on. Pure. */
export function segmentsOf(runs: readonly RowRange[], offset: number, limit: number): RowRange[] {
  const segments: RowRange[] = [];
  let [skip, left] = [offset, limit];
  for (const run of runs) {
    const start = run.start + Math.min(skip, run.end - run.start);
    skip -= start - run.start;
    const end = Math.min(run.end, start + left);
    if (start < end) segments.push({ start, end });
    left -= end - start;
    if (left === 0) break;
  }
  return segments;
}

/** The page's rows. Reads to the end, which verifies that none is missing. */
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
  readonly #runs = new LRUCache<string, { readonly runs: Runs }>({
    maxSize: KNOWN_RUNS_MAX,
    sizeCalculation: ({ runs }) => 1 + (runs?.length ?? 0),
  });

  constructor(shards: readonly Shard[]) {
    this.#shards = shards;
  }

  async *sorted(plan: QueryPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const { sources, rowCount } = sourcesOf(plan, plan.parts);
    const isOne = sources.length === 1;
    const names = new Set(plan.columns.map(({ name }) => name));
    const others = plan.sort.map(({ column }) => column).filter(({ name }) => !names.has(name));
    const columns = isOne ? plan.columns : [...plan.columns, ...others];
    const last = plan.offset + plan.limit + 1;
    // Any source may have all rows before the page's last one.
    const page = isOne
      ? { offset: plan.offset, limit: plan.limit + 1 }
      : { offset: 0, limit: last };
    const asked = { columns, sort: plan.sort, start: 0, end: rowCount, ...page };
    const keys = plan.sort.map(({ column, descending }) => ({
      at: columns.findIndex(({ name }) => name === column.name),
      descending,
    }));
    const compareKeys = byKeys(keys);
    const compare: CompareRows = (...rows) => compareKeys(...rows) || byPosition(...rows);
    const blocks = mergedBlocks(this.#streams(sources, asked, signal), compare);
    const rows = isOne ? blocks : paged(blocks, plan.offset, plan.limit + 1);
    for await (const block of rows) yield batchOf(block, plan.columns.length);
  }

  async *natural(plan: QueryPlan, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    let nextRow = 0;
    for await (const block of this.#naturalBlocks(plan, signal)) {
      const beyond = plan.limit - nextRow;
      nextRow += block.rowCount;
      if (beyond < block.rowCount) {
        const key = placeKey(plan, plan.offset + plan.limit);
        this.#places.set(key, block.positions[beyond] as number);
      }
      yield batchOf(block, plan.columns.length);
    }
  }

  async *#naturalBlocks(plan: QueryPlan, signal: AbortSignal): AsyncGenerator<RowBlock> {
    const { sources, rowCount } = sourcesOf(plan, plan.parts);
    const runs = await this.#runsOf(plan, sources, rowCount, signal);
    if (runs !== null) return yield* this.#segments(plan, sources, runs, signal);
    const known = this.#places.get(placeKey(plan, plan.offset));
    let [start, skip] = known === undefined ? [0, plan.offset] : [known, 0];
    let windowRows = FIRST_WINDOW_ROWS;
    let left = plan.limit + 1;
    while (start < rowCount && left > 0) {
      const window = { start, end: Math.min(rowCount, start + windowRows) };
      const found = skip === 0 ? left : await this.#count(sources, window, signal);
      if (found > skip) {
        const page = { ...window, columns: plan.columns, sort: [], offset: 0, limit: skip + left };
        const blocks = mergedBlocks(this.#streams(sources, page, signal), byPosition);
        for await (const block of paged(blocks, skip, left)) {
          left -= block.rowCount;
          yield block;
        }
      }
      skip = Math.max(0, skip - found);
      start = window.end;
      windowRows = Math.min(windowRows * WINDOW_GROWTH, WINDOW_ROWS_MAX);
    }
  }

  /** The runs of all rows that the plan finds, in natural order; null: they are not known. */
  async #runsOf(
    plan: QueryPlan,
    sources: readonly Source[],
    rowCount: number,
    signal: AbortSignal,
  ): Promise<Runs> {
    if (findsEveryRow(plan)) return rowCount === 0 ? [] : [{ start: 0, end: rowCount }];
    const looked = sources.reduce((sum, source) => sum + rowsWithin(source), 0);
    if (looked > LOOKED_THROUGH_MAX) return null;
    const key = rowsFingerprint(plan);
    const known = this.#runs.get(key) ?? { runs: await this.#findRuns(sources, signal) };
    this.#runs.set(key, known);
    return known.runs;
  }

  async #findRuns(sources: readonly Source[], signal: AbortSignal): Promise<Runs> {
    const found = await Promise.all(
      sources.map((source) => runsOfSource(this.#shardOf(source), source, signal)),
    );
    if (found.includes(null)) return null;
    return found.flatMap((runs) => runs ?? []).toSorted((a, b) => a.start - b.start);
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

  async #count(
    sources: readonly Source[],
    window: Pick<RowsAsked, 'start' | 'end'>,
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

function placeKey(plan: QueryPlan, offset: number): string {
  return `${rowsFingerprint(plan)} ${offset}`;
}
