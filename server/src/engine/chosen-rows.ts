/** Pages of rows that are chosen from those of a scan, and made into others. */
import { type ColumnBatch, cutRows, takeRows } from './columns.ts';
import type { QueryPlan } from './query-plan.ts';
import type { WalkPoints } from './walk-positions.ts';

/** Skips `offset` rows, then takes `count`. */
class PageCut {
  #offset: number;
  #left: number;

  constructor(offset: number, count: number) {
    this.#offset = offset;
    this.#left = count;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  /** The next rows that are on the page, as [first, end). */
  take(rowCount: number): readonly [number, number] {
    const first = Math.min(this.#offset, rowCount);
    const end = Math.min(first + this.#left, rowCount);
    this.#offset -= first;
    this.#left -= end - first;
    return [first, end];
  }
}

/** The rows of the batch that are chosen and on the page. */
function pageRows(batch: ColumnBatch, chosen: number[] | null, cut: PageCut): ColumnBatch {
  const [first, end] = cut.take(chosen?.length ?? batch.rowCount);
  if (chosen) return takeRows(batch, chosen.slice(first, end));
  return end - first === batch.rowCount ? batch : cutRows(batch, first, end);
}

/** The row of a batch that has the number among those that are chosen. */
function rowAt(chosen: number[] | null, number: number): number {
  return chosen === null ? number : (chosen[number] as number);
}

interface Choosing {
  /** All rows past the first ones, in natural order. */
  readonly batches: AsyncIterable<ColumnBatch>;
  /** The rows of a batch that are chosen, by their numbers; null: all of them. */
  choose(batch: ColumnBatch): number[] | null;
  /** The rows of the answer, in its columns. */
  made(rows: ColumnBatch): ColumnBatch;
}

/** The page of a plan in natural order, and one row beyond it. `begin`: past so many rows. */
export async function* chosenRows(
  { offset, limit }: Pick<QueryPlan, 'offset' | 'limit'>,
  walk: WalkPoints,
  begin: (source: number) => Choosing | Promise<Choosing>,
): AsyncGenerator<ColumnBatch> {
  let { ordinal, row: source } = walk.before(offset).point;
  const { batches, choose, made } = await begin(source);
  const cut = new PageCut(offset - ordinal, limit + 1);
  for await (const batch of batches) {
    const chosen = choose(batch);
    walk.add({ ordinal, file: 0, row: source });
    const count = chosen?.length ?? batch.rowCount;
    const next = offset + limit - ordinal;
    if (next < count) {
      walk.add({ ordinal: offset + limit, file: 0, row: source + rowAt(chosen, next) });
    }
    ordinal += count;
    source += batch.rowCount;
    const rows = pageRows(batch, chosen, cut);
    if (rows.rowCount > 0) {
      const answer = made(rows);
      yield batch.release ? { ...answer, release: () => batch.release?.() } : answer;
    } else batch.release?.();
    if (cut.isDone) return;
  }
}
