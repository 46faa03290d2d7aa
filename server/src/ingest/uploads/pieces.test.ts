import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inPieces } from './pieces.ts';

const chunkLists = fc.array(fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)));

async function gathered(chunks: AsyncIterable<Buffer>, bytesMin: number) {
  const pieces: Buffer[] = [];
  let failure: unknown = null;
  try {
    for await (const piece of inPieces(chunks, bytesMin)) pieces.push(piece);
  } catch (error) {
    failure = error;
  }
  return { pieces, failure };
}

test('pieces are all bytes in their order, none too small but the last, also before a failure', async () => {
  const property = fc.asyncProperty(
    chunkLists,
    fc.integer({ min: 1, max: 50 }),
    fc.boolean(),
    async (chunks, bytesMin, fails) => {
      const broken = new Error('the connection broke');
      async function* source() {
        yield* chunks;
        if (fails) throw broken;
      }
      const { pieces, failure } = await gathered(source(), bytesMin);
      expect(Buffer.concat(pieces)).toEqual(Buffer.concat(chunks));
      expect(pieces.slice(0, -1).every(({ length }) => length >= bytesMin)).toBe(true);
      expect(pieces.every(({ length }) => length > 0)).toBe(true);
      expect(failure).toBe(fails ? broken : null);
    },
  );
  await fc.assert(property);
});

test('whoever stops early gets nothing more', async () => {
  let isClosed = false;
  async function* source() {
    try {
      for (;;) yield Buffer.from('abc');
    } finally {
      isClosed = true;
    }
  }
  for await (const piece of inPieces(source(), 2)) {
    expect(piece.toString()).toBe('abc');
    break;
  }
  expect(isClosed).toBe(true);
});
