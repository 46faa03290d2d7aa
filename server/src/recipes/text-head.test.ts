import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { UsageError } from '../base/errors.ts';
import { withLastLine, withoutTrailer } from './text-head.ts';

/** Texts in pieces of each size. */
function cutsOf(text: string): Buffer[][] {
  const sizes = Array.from({ length: text.length + 1 }, (_, n) => n + 1);
  return sizes.map((size) => {
    const cut = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    return cut.map((piece) => Buffer.from(piece));
  });
}

const RECORDS = 'A|1\n\nB|2\r\n\r\nC|3\n';

it.each(['END|3', 'END|3\n', 'END|3\r\n'])(
  'a text loses its trailer and nothing else, however it is cut: %j',
  async (end) => {
    const read = (line: string) => /^END\|(?<rows>\d+)$/.exec(line)?.groups ?? null;
    const trailer = { read, form: 'END|{rows}', date: undefined };
    const restOf = (text: string) =>
      cutsOf(text).map(async (given) => {
        const rest = await Array.fromAsync(withoutTrailer(Readable.from(given), trailer));
        return `${Buffer.concat(rest)}`;
      });
    const rests = await Promise.all(restOf(`${RECORDS}${end}`));
    expect(new Set(rests)).toEqual(new Set([RECORDS]));
    const others = await Promise.allSettled(restOf(`D|4\n${RECORDS}${end}`));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['rejected']));
  },
);

it.each(['A|1\nB|2\nEND|2\r\n', 'A|1\nEND|1', 'END', '\n', ''])(
  'the last line is found however a text is cut, and the text stays as it is: %j',
  async (text) => {
    const expected = text.trimEnd().split('\n').at(-1);
    for (const given of cutsOf(text)) {
      const { chunks, lastLine } = await withLastLine(Readable.from(given));
      expect([given, lastLine]).toEqual([given, expected]);
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
