import { expect, it } from 'vitest';
import { type BlockColumn, BrokenStreamError, nativeBlocks } from './native-blocks.ts';

/** Two rows of a nullable text and a count, as a server sends them. */
const BLOCK = Buffer.concat([
  Buffer.from([2, 2, 1, 0x74, 16]),
  Buffer.from('Nullable(String)'),
  Buffer.from([0, 1, 2, 0x41, 0x42, 0, 1, 0x63, 6]),
  Buffer.from('UInt64'),
  Buffer.from(new BigUint64Array([7n, 8n]).buffer),
]);
const COLUMNS: readonly BlockColumn[] = ['text', 'count'];

async function* chunksOf(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (bytes: Buffer, size: number, columns = COLUMNS) =>
  Array.fromAsync(nativeBlocks(chunksOf(bytes, size), columns, size));

it('reads blocks however the stream is cut', async () => {
  for (const size of [1, 2, 3, 7, 50, 1000]) {
    const blocks = await read(Buffer.concat([BLOCK, BLOCK]), size);
    expect(blocks).toHaveLength(2);
    for (const { rowCount, columns } of blocks) {
      expect(rowCount).toBe(2);
      expect(columns[0]).toEqual({ values: ['AB', ''], nulls: new Uint8Array([0, 1]) });
      expect(columns[1]?.values).toEqual([7, 8]);
    }
  }
});

it('takes no message, no other column and no cut-off block for rows', async () => {
  const message = Buffer.from('Code: 241, e.displayText() = DB::Exception: Memory limit');
  const broken: readonly [Buffer, readonly BlockColumn[]][] = [
    [Buffer.concat([BLOCK, message]), COLUMNS],
    [BLOCK, ['integer', 'count']],
    [BLOCK, ['text']],
    [BLOCK.subarray(0, -1), COLUMNS],
  ];
  for (const [bytes, columns] of broken) {
    await expect(read(bytes, 20, columns)).rejects.toThrow(BrokenStreamError);
  }
});

it('tells texts apart that share length, ends and middle, and reads long ones', async () => {
  const texts = ['a1b1c', 'a2b1c', '', 'a1b1c', 'é', 'x'.repeat(200), 'x'.repeat(199), ''];
  const sized = texts.map((text) => {
    const bytes = Buffer.from(text);
    const long = bytes.length < 128 ? [bytes.length] : [bytes.length, 1];
    return Buffer.concat([Buffer.from(long), bytes]);
  });
  const block = Buffer.concat([
    Buffer.from([1, texts.length, 1, 0x74, 16]),
    Buffer.from('Nullable(String)'),
    Buffer.alloc(texts.length),
    ...sized,
  ]);
  for (const size of [1, 30, 1000]) {
    const [only] = await read(block, size, ['text']);
    expect(only?.columns[0]?.values).toEqual(texts);
  }
});
