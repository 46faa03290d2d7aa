import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { writeChunks } from './write-chunks.ts';

/** One buffer, written anew for each chunk. */
async function* lent(texts: readonly string[], asked: string[] = []): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(1);
  for (const text of texts) {
    asked.push(text);
    buffer.write(text);
    yield buffer;
  }
}

/** Passes each chunk on later, and reads it only then. */
function slow(taken: string[], onWrite: () => void = () => undefined): Writable {
  return new Writable({
    highWaterMark: 1000,
    write(chunk: Buffer, _encoding, done) {
      setImmediate(() => {
        taken.push(chunk.toString());
        done();
        onWrite();
      });
    },
  });
}

describe('chunks that are written one at a time', () => {
  it('are asked for only when the one before has been passed on', async () => {
    const taken: string[] = [];
    const lengths: number[] = [];
    const target = slow(taken);
    const isWhole = await writeChunks(target, lent(['a', 'b', 'c']), (n) => lengths.push(n));
    expect(taken).toEqual(['a', 'b', 'c']);
    expect(lengths).toEqual([1, 1, 1]);
    expect(isWhole).toBe(true);
    expect(target.writableEnded).toBe(false);
  });

  it('are asked for no more once the stream is closed, even if that never says so of a chunk', async () => {
    const asked: string[] = [];
    const target = new Writable({ write: () => target.destroy() });
    expect(await writeChunks(target, lent(['a', 'b'], asked), () => undefined)).toBe(false);
    expect(asked).toEqual(['a']);
    expect(await writeChunks(target, lent(['c', 'd'], asked), () => undefined)).toBe(false);
    expect(asked).toEqual(['a', 'c']);
  });

  it('reject with the error of whoever makes them', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('a');
      throw new Error('broken');
    }
    const target = new PassThrough();
    await expect(writeChunks(target, failing(), () => undefined)).rejects.toThrow('broken');
    expect(target.listenerCount('close')).toBe(new PassThrough().listenerCount('close'));
  });
});
