import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Spool, type SpooledBody } from './spool.ts';
import { LentBytes, StoredBytes } from './stored-bytes.ts';

const MEBIBYTE = 1024 * 1024;
const ALL_MEMORY = 64 * MEBIBYTE;

let directory: string;
let spool: Spool;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ticklake-spool-'));
  spool = new Spool({ directory, bytesMax: 40 * MEBIBYTE });
});
afterEach(() => {
  spool.close();
  rmSync(directory, { recursive: true });
});

/** Pieces of a mebibyte, each of another letter, and how many of them are still in use. */
async function addPieces(body: SpooledBody, count: number) {
  const used = { count: 0 };
  const all: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const piece = Buffer.alloc(MEBIBYTE, 97 + i);
    all.push(Buffer.from(piece));
    used.count++;
    body.add([piece.subarray(0, 10), piece.subarray(10)], () => {
      piece.fill(0);
      used.count--;
    });
    await body.room();
  }
  return { used, bytes: Buffer.concat(all) };
}

async function bytesOf(body: Buffer | StoredBytes): Promise<Buffer> {
  return body instanceof StoredBytes ? Buffer.concat(await body.stream().toArray()) : body;
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());

describe('a spooled body', () => {
  it.each([
    ['small', 3, false, Buffer, 0],
    ['large, while there is memory', 9, false, StoredBytes, 0],
    ['large, and there is no memory', 9, true, StoredBytes, 1],
  ] as const)('is whole if it is %s', async (_, count, isFull, kind, fileCount) => {
    if (isFull) expect(spool.takeMemory(ALL_MEMORY)).toBe(true);
    const body = spool.begin();
    const { bytes, used } = await addPieces(body, count);
    const finished = await body.finish();
    expect(finished).toBeInstanceOf(kind);
    expect(filesOf(directory)).toHaveLength(fileCount);
    expect((await bytesOf(finished)).equals(bytes)).toBe(true);
    if (finished instanceof StoredBytes) finished.release();
    expect(used.count).toBe(0);
    await expect.poll(() => [spool.byteCount, filesOf(directory).length]).toEqual([0, 0]);
    expect(spool.takeMemory(isFull ? 0 : ALL_MEMORY)).toBe(true);
  });

  it('goes to a file as soon as others need the memory', async () => {
    spool.takeMemory(ALL_MEMORY - 7 * MEBIBYTE);
    const body = spool.begin();
    const { bytes } = await addPieces(body, 12);
    const finished = (await body.finish()) as StoredBytes;
    expect(spool.byteCount).toBe(12 * MEBIBYTE);
    expect((await bytesOf(finished)).equals(bytes)).toBe(true);
    expect(spool.takeMemory(7 * MEBIBYTE)).toBe(true);
    finished.release();
  });

  it.each([false, true])('leaves nothing behind when it is discarded', async (isFull) => {
    if (isFull) spool.takeMemory(ALL_MEMORY);
    const body = spool.begin();
    const { used } = await addPieces(body, 9);
    await body.discard();
    expect(used.count).toBe(0);
    await expect.poll(() => [spool.byteCount, filesOf(directory).length]).toEqual([0, 0]);
    expect(spool.takeMemory(isFull ? 0 : ALL_MEMORY)).toBe(true);
  });

  it('is refused where the disk may hold no more', async () => {
    spool.takeMemory(ALL_MEMORY);
    const body = spool.begin();
    await expect(addPieces(body, 41)).rejects.toThrow('Service unavailable');
    await body.discard();
    expect(spool.byteCount).toBe(0);
  });

  it('leaves its room on the disk to the next one at once', async () => {
    spool.takeMemory(ALL_MEMORY);
    const first = spool.begin();
    await addPieces(first, 30);
    ((await first.finish()) as StoredBytes).release();
    const second = spool.begin();
    second.add([Buffer.alloc(30 * MEBIBYTE)]);
    ((await second.finish()) as StoredBytes).release();
    expect(spool.byteCount).toBe(0);
  });
});

describe('the folder of a spool', () => {
  it('is made when it is needed, and goes with the spool', async () => {
    expect(readdirSync(directory)).toEqual([]);
    spool.takeMemory(ALL_MEMORY);
    const body = spool.begin();
    await addPieces(body, 9);
    const [folder = ''] = readdirSync(directory);
    await body.finish();
    spool.close();
    expect(existsSync(join(directory, folder))).toBe(false);
  });
});

describe('a whole body that is lent', () => {
  const lent = (mebibytes: number) => {
    const use = { isOver: false };
    const body = new LentBytes([Buffer.alloc(mebibytes * MEBIBYTE, 'x')], () => {
      use.isOver = true;
    });
    return { body, use };
  };

  it('stays as it is while it is small', async () => {
    const { body } = lent(4);
    expect(await spool.kept(body)).toBe(body);
  });

  it('goes to a file where memory has no room, and its memory back', async () => {
    spool.takeMemory(ALL_MEMORY);
    const { body, use } = lent(5);
    const kept = await spool.kept(body);
    expect(use.isOver).toBe(true);
    expect(spool.byteCount).toBe(5 * MEBIBYTE);
    expect((await bytesOf(kept)).equals(Buffer.alloc(5 * MEBIBYTE, 'x'))).toBe(true);
  });

  it('is given back where there is no room at all', async () => {
    spool.takeMemory(ALL_MEMORY);
    const { body, use } = lent(41);
    await expect(spool.kept(body)).rejects.toMatchObject({ kind: 'unavailable' });
    expect([use.isOver, spool.byteCount]).toEqual([true, 0]);
  });
});

it('takes a whole body that is larger than its limit, and no smaller one', async () => {
  const strict = new Spool({ directory, bytesMax: MEBIBYTE, memoryBytesMax: 1000 });
  const [small, large] = [Buffer.alloc(1000, 'x'), Buffer.alloc(1001, 'x')];
  expect(await strict.kept(small)).toBe(small);
  const kept = (await strict.kept(large)) as StoredBytes;
  expect([kept.isTemporary, strict.byteCount]).toEqual([true, 1001]);
  expect((await bytesOf(kept)).equals(large)).toBe(true);
  kept.release();
  strict.close();
});
