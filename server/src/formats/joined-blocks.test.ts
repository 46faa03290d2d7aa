import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ByteSink } from './byte-sink.ts';
import { joined } from './joined-blocks.ts';

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
