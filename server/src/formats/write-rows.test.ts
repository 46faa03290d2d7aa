import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ColumnBatch } from '../engine/columns.ts';
import { ByteSink } from './byte-sink.ts';
import { joined, writeRows } from './write-rows.ts';

/** Two columns, so that 2048 rows are written in one turn. */
const COLUMNS = ['A', 'B'].map((name) => ({
  name,
  dataType: 'string' as const,
  fractionDigits: 0 as const,
  description: '',
}));

const frame = (offset: number, limit: number) => ({ columns: COLUMNS, offset, limit });

async function* batchesOf(
  rowCounts: readonly number[],
  release: () => void = () => undefined,
): AsyncGenerator<ColumnBatch> {
  for (const rowCount of rowCounts) yield { rowCount, columns: [], release };
}

/** The rows of each turn, and what they come to; `*` stands for a wait for room. */
async function turnsOf(rowCounts: number[], { offset = 0, limit = 100_000 } = {}) {
  const turns: string[] = [];
  const counts = await writeRows(
    batchesOf(rowCounts),
    frame(offset, limit),
    () => (from, to) => turns.push(`${from}-${to}`),
    {
      room: async () => {
        turns.push('*');
      },
    },
  );
  return { turns: turns.join(' '), ...counts };
}

describe('writeRows', () => {
  it('writes all rows of each batch, and waits for room after each turn', async () => {
    expect(await turnsOf([5000, 3])).toEqual({
      turns: '0-2048 * 2048-4096 * 4096-5000 * 0-3 *',
      rowCount: 5003,
      nextOffset: null,
    });
  });

  it('counts the rows of all batches against the limit', async () => {
    expect(await turnsOf([5, 5, 5], { offset: 20, limit: 7 })).toEqual({
      turns: '0-5 * 0-2 *',
      rowCount: 7,
      nextOffset: 27,
    });
  });

  it('knows of a next page by a single row more, and of none without', async () => {
    expect(await turnsOf([5, 1], { limit: 5 })).toMatchObject({ rowCount: 5, nextOffset: 5 });
    expect(await turnsOf([5], { limit: 5 })).toMatchObject({ rowCount: 5, nextOffset: null });
  });

  it('gives back the memory of a batch when its last row is written', async () => {
    const done: string[] = [];
    const batches = batchesOf([3000, 2], () => done.push('released'));
    await writeRows(batches, frame(0, 5000), () => (_, to) => done.push(`${to}`));
    expect(done).toEqual(['2048', '3000', 'released', '2', 'released']);
  });
});

const MEBIBYTE = 1024 * 1024;

/** The number of turns that others have before it is resolved. */
async function turnsWhile(work: Promise<unknown>): Promise<number> {
  let isAtWork = true;
  let turns = 0;
  const end = work.finally(() => {
    isAtWork = false;
  });
  for (; isAtWork; turns++) await nextTurn();
  await end;
  return turns;
}

it('keeps every byte, in order', async () => {
  const texts = ['', 'a', 'b'.repeat(MEBIBYTE), '', 'cde'];
  const body = await joined(texts.map((text) => Buffer.from(text)));
  expect(body.equals(Buffer.from(texts.join('')))).toBe(true);
  expect(await joined([])).toHaveLength(0);
});

/** A block as writers of pages hand it on. */
function blockOf(text: string): Buffer {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  sink.expectRows(10_000, 100);
  sink.makeRoom(0);
  sink.copyAscii(text);
  sink.flush();
  return blocks[0] as Buffer;
}

it('gives the blocks back, for the next page', async () => {
  const block = blockOf('one');
  const body = await joined([block]);
  expect(blockOf('other').buffer).toBe(block.buffer);
  expect(body.toString()).toBe('one');
});

it.each([
  [8, 1],
  [9, 2],
  [40, 9],
])('of %d mebibytes lets others have a turn after each four, %d in all', async (count, turns) => {
  const blocks = Array.from({ length: count }, () => Buffer.alloc(MEBIBYTE));
  expect(await turnsWhile(joined(blocks))).toBe(turns);
});
