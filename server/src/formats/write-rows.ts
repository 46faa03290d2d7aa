/** The rows of a page, batch by batch, in turns between which other requests have theirs. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LentBytes } from '../base/stored-bytes.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { TextFormat } from '../engine/engine.ts';
import type { RowSource } from '../engine/row-source.ts';
import { BLOCK_BYTES, ByteSink, releaseBlock } from './byte-sink.ts';
import type { PageFrame, PageRange, WrittenPage } from './format.ts';
import type { RowWriter } from './row-bytes.ts';

/**
 * Cells that are written before other requests have their turn: about half a millisecond's work. A
 * light request has some ten turns of its own, each of which waits for one of these; a turn costs
 * two microseconds.
 */
const CELLS_PER_TURN = 4096;

/** Asks for the next item while the caller is at work on one. */
async function* oneAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = iterator.next();
      // A failure is met when it is this item's turn.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The rows, the first batch of which has been read, and what it tells of all of them. */
export async function begun(batches: AsyncIterable<ColumnBatch>): Promise<{
  readonly scanRowCount: number | undefined;
  readonly rows: AsyncIterable<ColumnBatch>;
}> {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* rows() {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { scanRowCount: first.done ? 0 : first.value.scanRowCount, rows: rows() };
}

/** Rows of the page, and where the next page begins, for a scan of so many rows. */
export function pageOf(
  scanRowCount: number,
  { offset, limit }: PageRange,
): Omit<WrittenPage, 'body'> {
  const hasMore = scanRowCount > limit;
  return { rowCount: Math.min(scanRowCount, limit), nextOffset: hasMore ? offset + limit : null };
}

interface WriteOptions {
  /** Resolves when what has been written is far enough on its way. */
  readonly room?: () => Promise<void>;
  readonly cellsPerTurn?: number;
}

/** Writes up to `limit` rows; one row more tells that a next page exists. */
export async function writeRows(
  rows: AsyncIterable<ColumnBatch>,
  { columns, offset, limit }: PageRange & Pick<PageFrame, 'columns'>,
  write: RowWriter,
  { room = async () => undefined, cellsPerTurn = CELLS_PER_TURN }: WriteOptions = {},
): Promise<Omit<WrittenPage, 'body'>> {
  const rowsPerTurn = Math.ceil(cellsPerTurn / columns.length);
  let rowCount = 0;
  let hasMore = false;
  for await (const batch of oneAhead(rows)) {
    const wanted = Math.min(batch.rowCount, limit - rowCount);
    if (wanted < batch.rowCount) hasMore = true;
    if (wanted === 0) continue;
    const writeBatch = write(batch);
    for (let row = 0; row < wanted; row += rowsPerTurn) {
      if (row > 0) await nextTurn();
      writeBatch(row, Math.min(row + rowsPerTurn, wanted));
      await room();
    }
    batch.release?.();
    rowCount += wanted;
  }
  return { rowCount, nextOffset: hasMore ? offset + limit : null };
}

/** Less than that would waste most of a block for as long as it is kept. */
const KEPT_BLOCK_BYTES_MIN = BLOCK_BYTES / 2;

/** The block, or, in its place, its bytes in memory of their own. */
function kept(block: Buffer): Buffer {
  if (block.length >= KEPT_BLOCK_BYTES_MIN) return block;
  const own = Buffer.allocUnsafeSlow(block.length);
  block.copy(own);
  releaseBlock(block);
  return own;
}

/**
 * The text that the source or `write` writes, as a body. Long ones stay in their blocks, which go
 * back when the body is released, or at once where `write` fails: new memory for each page would
 * make the runtime collect all of its garbage every few pages.
 */
export async function textBody(
  source: RowSource,
  format: TextFormat,
  write: (sink: ByteSink) => Promise<Omit<WrittenPage, 'body'>>,
): Promise<WrittenPage> {
  const made = await source.text?.(format);
  if (made) return made;
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  try {
    const facts = await write(sink);
    sink.flush();
    const pieces = blocks.map(kept);
    const [first = Buffer.alloc(0)] = pieces;
    if (pieces.length <= 1 && first.length < KEPT_BLOCK_BYTES_MIN) return { body: first, ...facts };
    return { body: new LentBytes(pieces, () => pieces.forEach(releaseBlock)), ...facts };
  } catch (error) {
    sink.flush();
    blocks.forEach(releaseBlock);
    throw error;
  }
}
