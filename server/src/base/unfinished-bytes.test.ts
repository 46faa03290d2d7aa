import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { type BodyMemory, UnfinishedBytes, writeChunks } from './unfinished-bytes.ts';

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

const MEBIBYTE = 1024 * 1024;
const bytesOf = (text: string) => Buffer.from(text);

async function textOf(body: UnfinishedBytes): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body.chunks())).toString();
}

const NO_MORE: BodyMemory = { takeMemory: () => false, giveMemory: () => undefined };

describe('a body that is sent while it is written', () => {
  it('hands out what is there, then the rest as it comes', async () => {
    const body = new UnfinishedBytes(MEBIBYTE, NO_MORE);
    const chunks = body.chunks();
    body.add([bytesOf('a'), bytesOf('b')]);
    expect(`${(await chunks.next()).value}`).toBe('ab');
    const next = chunks.next();
    body.add([bytesOf('c')]);
    expect(`${(await next).value}`).toBe('c');
    body.end();
    expect((await chunks.next()).done).toBe(true);
    await body.written;
  });

  it('is whole where it was written before it is asked for', async () => {
    const body = new UnfinishedBytes(MEBIBYTE, NO_MORE);
    for (const letter of 'whole') body.add([bytesOf(letter)]);
    body.end();
    expect(await textOf(body)).toBe('whole');
  });

  it('fails where its writer does, after what was written before', async () => {
    const body = new UnfinishedBytes(MEBIBYTE, NO_MORE);
    const chunks = body.chunks();
    body.add([bytesOf('some')]);
    body.end({ error: new Error('the disk is gone') });
    expect(`${(await chunks.next()).value}`).toBe('some');
    await expect(chunks.next()).rejects.toThrow('the disk is gone');
    await body.written;
  });

  it('gives its memory back once it is released, also what comes later', () => {
    const [end, first, late] = [vi.fn(), vi.fn(), vi.fn()];
    const body = new UnfinishedBytes(MEBIBYTE, { ...NO_MORE, giveMemory: end });
    body.add([bytesOf('a')], first);
    expect(first).not.toHaveBeenCalled();
    body.release();
    body.release();
    body.add([bytesOf('b')], late);
    expect([first, late, end].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
    expect(end).toHaveBeenCalledWith(MEBIBYTE);
  });

  it('takes more memory where it turns out larger than was to be expected', async () => {
    let leftBytes = 2;
    const takeMemory = vi.fn((byteCount: number) => {
      const isTaken = byteCount <= leftBytes;
      if (isTaken) leftBytes -= byteCount;
      return isTaken;
    });
    const giveMemory = vi.fn();
    const body = new UnfinishedBytes(3, { takeMemory, giveMemory });
    for (const text of ['abcd', 'e']) {
      body.add([bytesOf(text)]);
      await body.room();
    }
    body.add([bytesOf('f')]);
    const room = body.room();
    expect(takeMemory.mock.calls).toEqual([[1], [1], [1]]);
    body.release();
    await room;
    expect(giveMemory.mock.calls).toEqual([[5]]);
  });

  it('lets its writer wait while memory has no room for what is left to take', async () => {
    const body = new UnfinishedBytes(3, NO_MORE);
    body.add([bytesOf('abc')]);
    await body.room();
    body.add([bytesOf('d')]);
    const room = body.room();
    const order: string[] = [];
    const waited = room.then(() => order.push('room'));
    const chunks = body.chunks();
    await chunks.next();
    order.push('taken');
    await chunks.next();
    await waited;
    expect(order).toEqual(['taken', 'room']);
  });

  it('lets nobody wait for room once it is released', async () => {
    const body = new UnfinishedBytes(0, NO_MORE);
    body.add([bytesOf('a')]);
    const room = body.room();
    body.release();
    await room;
  });
});
