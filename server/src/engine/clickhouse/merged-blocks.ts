/** Brings the rows of several ordered streams into one order, as servers have it: nulls last. */
import { compareCells } from '../../plan/prune.ts';
import { cellAt } from '../columns.ts';
import { type RowBlock, slicedBlock } from './sources.ts';

/** Negative where a row of one block comes before one of another. */
export type CompareRows = (a: RowBlock, rowOfA: number, b: RowBlock, rowOfB: number) => number;

export interface SortKey {
  /** The place of its column among those of a block. */
  readonly at: number;
  readonly descending: boolean;
}

/** By keys; rows without the column of one are equal in it. */
export function byKeys(keys: readonly SortKey[]): CompareRows {
  return (a, rowOfA, b, rowOfB) => {
    for (const { at, descending } of keys) {
      const [left, right] = [a.columns[at], b.columns[at]];
      if (!left || !right) continue;
      const order = compareCells(cellAt(left, rowOfA), cellAt(right, rowOfB), descending);
      if (order !== 0) return order;
    }
    return 0;
  };
}

export const byPosition: CompareRows = (a, rowOfA, b, rowOfB) =>
  (a.positions[rowOfA] as number) - (b.positions[rowOfB] as number);

/** The next rows of a stream. */
class Head {
  readonly #stream: AsyncIterator<RowBlock>;
  block: RowBlock | null = null;
  row = 0;

  constructor(stream: AsyncIterable<RowBlock>) {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  async advanceTo(row: number): Promise<void> {
    this.row = row;
    if (this.block !== null && row < this.block.rowCount) return;
    const { value, done } = await this.#stream.next();
    this.block = done ? null : value;
    this.row = 0;
  }

  async end(): Promise<void> {
    await this.#stream.return?.();
  }
}

type Filled = Head & { readonly block: RowBlock };

const isFilled = (head: Head): head is Filled => head.block !== null;

/** The first row of a head's block that comes after the other's next one. */
function endOfRun(head: Filled, other: Filled | undefined, compare: CompareRows): number {
  if (!other) return head.block.rowCount;
  let row = head.row + 1;
  while (row < head.block.rowCount && compare(head.block, row, other.block, other.row) < 0) row++;
  return row;
}

/** No two rows of different streams are equal; each stream is in the order. */
export async function* mergedBlocks(
  streams: readonly AsyncIterable<RowBlock>[],
  compare: CompareRows,
): AsyncGenerator<RowBlock> {
  if (streams.length === 1) return yield* streams[0] as AsyncIterable<RowBlock>;
  const heads = streams.map((stream) => new Head(stream));
  try {
    await Promise.all(heads.map((head) => head.advanceTo(0)));
    for (let filled = heads.filter(isFilled); filled.length > 0; filled = heads.filter(isFilled)) {
      filled.sort((a, b) => compare(a.block, a.row, b.block, b.row));
      const [first, second] = filled as [Filled, Filled | undefined];
      const end = endOfRun(first, second, compare);
      yield slicedBlock(first.block, first.row, end);
      await first.advanceTo(end);
    }
  } finally {
    await Promise.allSettled(heads.map((head) => head.end()));
  }
}
