import { describe, expect, it, vi } from 'vitest';
import { UnfinishedBytes } from './unfinished-bytes.ts';

const MEBIBYTE = 1024 * 1024;
const bytesOf = (text: string) => Buffer.from(text);

async function textOf(body: UnfinishedBytes): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body.chunks())).toString();
}

describe('a body that is sent while it is written', () => {
  it('hands out what is there, then the rest as it comes', async () => {
    const body = new UnfinishedBytes(MEBIBYTE, () => undefined);
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
    const body = new UnfinishedBytes(MEBIBYTE, () => undefined);
    for (const letter of 'whole') body.add([bytesOf(letter)]);
    body.end();
    expect(await textOf(body)).toBe('whole');
  });

  it('fails where its writer does, after what was written before', async () => {
    const body = new UnfinishedBytes(MEBIBYTE, () => undefined);
    const chunks = body.chunks();
    body.add([bytesOf('some')]);
    body.end({ error: new Error('the disk is gone') });
    expect(`${(await chunks.next()).value}`).toBe('some');
    await expect(chunks.next()).rejects.toThrow('the disk is gone');
    await body.written;
  });

  it('gives its memory back once it is released, also what comes later', () => {
    const [end, first, late] = [vi.fn(), vi.fn(), vi.fn()];
    const body = new UnfinishedBytes(MEBIBYTE, end);
    body.add([bytesOf('a')], first);
    expect(first).not.toHaveBeenCalled();
    body.release();
    body.release();
    body.add([bytesOf('b')], late);
    expect([first, late, end].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
  });

  it('lets its writer wait while more is left to take than was to be expected', async () => {
    const body = new UnfinishedBytes(3, () => undefined);
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
    const body = new UnfinishedBytes(0, () => undefined);
    body.add([bytesOf('a')]);
    const room = body.room();
    body.release();
    await room;
  });
});
