import { expect, test } from 'vitest';
import { BlockBytes, type SpareParts } from './record-blocks.ts';

const RECORD = 40_000;

/** A block of so many records, each full of one byte, and what it should hold. */
function fill(spare: SpareParts, byte: number, recordCount: number): BlockBytes {
  const block = new BlockBytes(spare);
  const record = Buffer.alloc(RECORD, byte);
  for (let i = 0; i < recordCount; i++) block.append(record, 0, RECORD);
  return block;
}

function holdsOnly(block: BlockBytes, byte: number, recordCount: number): boolean {
  const bytes = Buffer.concat(block.parts());
  return bytes.equals(Buffer.alloc(recordCount * RECORD, byte));
}

test('a block keeps its bytes until it is released, whatever others are written', () => {
  const spare: SpareParts = [];
  const first = fill(spare, 1, 500);
  const second = fill(spare, 2, 500);
  expect(holdsOnly(first, 1, 500)).toBe(true);
  first.release();
  const third = fill(spare, 3, 500);
  expect([holdsOnly(second, 2, 500), holdsOnly(third, 3, 500)]).toEqual([true, true]);
});

test('large parts of a released block are used again', () => {
  const spare: SpareParts = [];
  const first = fill(spare, 1, 500);
  const buffers = new Set(first.parts().map(({ buffer }) => buffer));
  first.release();
  first.release();
  const reused = (block: BlockBytes) => block.parts().filter(({ buffer }) => buffers.has(buffer));
  const second = fill(spare, 2, 500);
  expect(reused(second).length).toBeGreaterThanOrEqual(3);
  // Nothing is handed out twice.
  expect(reused(fill(spare, 3, 500))).toEqual([]);
});

test('a small block takes little memory, a record longer than any part its own', () => {
  const small = new BlockBytes([]);
  small.append(Buffer.from('abc'), 1, 3);
  expect(small.parts().map(String)).toEqual(['bc']);
  expect(small.parts()[0]?.buffer.byteLength).toBeLessThanOrEqual(65_536);
  const long = new BlockBytes([]);
  long.append(Buffer.alloc(5_000_000, 7), 0, 5_000_000);
  long.append(Buffer.from('x'), 0, 1);
  expect(long.parts().map(({ length }) => length)).toEqual([5_000_000, 1]);
  expect(long.length).toBe(5_000_001);
});
