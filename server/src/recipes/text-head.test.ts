import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { UsageError } from '../base/errors.ts';
import { withLastLine } from './text-head.ts';

it.each(['A|1\nB|2\nEND|2\r\n', 'A|1\nEND|1', 'END', '\n', ''])(
  'the last line is found however a text is cut, and the text stays as it is: %j',
  async (text) => {
    const expected = text.trimEnd().split('\n').at(-1);
    for (let size = 1; size <= text.length + 1; size++) {
      const cut = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const given = cut.map((piece) => Buffer.from(piece));
      const { chunks, lastLine } = await withLastLine(Readable.from(given));
      expect([size, lastLine]).toEqual([size, expected]);
      expect(await Array.fromAsync(chunks)).toEqual(given);
    }
  },
);

it('a text is kept in pieces, and up to 64 MiB of it', async () => {
  const piece = Buffer.alloc(2 ** 20, 'a line\n');
  const pieces = (count: number) => Readable.from(Array.from({ length: count }, () => piece));
  const { chunks } = await withLastLine(pieces(64));
  const lengths = (await Array.fromAsync(chunks)).map(({ length }) => length);
  expect(new Set(lengths)).toEqual(new Set([piece.length]));
  const message =
    'the file is longer than 64 MiB, which is the limit for recipes that read its trailer';
  await expect(withLastLine(pieces(65))).rejects.toThrow(new UsageError(message));
});
