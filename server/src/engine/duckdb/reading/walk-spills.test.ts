import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HeldSpill, WalkSpills } from './walk-spills.ts';

const SIZE = 1000;

let parent: string;
let spills: WalkSpills;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'ticklake-spills-'));
  spills = open();
});
afterEach(() => {
  vi.useRealTimers();
  spills.close();
  rmSync(parent, { recursive: true });
});

function open(changes = {}): WalkSpills {
  const bytesMax = 10 * SIZE;
  const options = { diskBytesMax: bytesMax, diskBytesPerHolderMax: bytesMax, idleMs: 60_000 };
  return new WalkSpills(parent, { ...options, ...changes });
}

async function write(file: string): Promise<number> {
  await writeFile(file, Buffer.alloc(SIZE));
  return 3;
}

async function hold(key: string, holder?: number): Promise<HeldSpill> {
  const held = await spills.holdOrWrite(key, holder, write, new AbortController().signal);
  if (!held) throw new Error(`${key} has no file`);
  return held;
}

describe('a file that gives way while it is read', () => {
  it('stays, and counts once, until its last reader is done', async () => {
    spills.close();
    spills = open({ diskBytesMax: 2 * SIZE });
    const [first, second] = [await hold('a'), await hold('a')];
    for (const key of ['b', 'c']) (await hold(key)).release();
    expect(spills.hold('a'), 'nobody else gets it').toBeNull();
    expect(spills.byteCount).toBe(2 * SIZE);
    first.release();
    expect(existsSync(first.file)).toBe(true);
    expect(spills.byteCount).toBe(2 * SIZE);
    second.release();
    expect(existsSync(first.file)).toBe(false);
    expect(spills.byteCount).toBe(SIZE);
  });

  it('is removed at once where nobody reads it', async () => {
    spills.close();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    spills = open({ idleMs: 20 });
    const held = await hold('a');
    held.release();
    expect(spills.byteCount).toBe(SIZE);
    vi.advanceTimersByTime(20);
    expect(spills.byteCount).toBe(0);
    expect(existsSync(held.file)).toBe(false);
  });
});

describe('the share of a holder', () => {
  it('makes room by dropping its own files, the one used longest ago first', async () => {
    spills.close();
    spills = open({ diskBytesPerHolderMax: 2 * SIZE });
    for (const key of ['a', 'b']) (await hold(key, 1)).release();
    (await hold('x', 2)).release();
    spills.hold('a')?.release();
    (await hold('c', 1)).release();
    const isKept = (key: string) => {
      const held = spills.hold(key);
      held?.release();
      return held !== null;
    };
    expect(['a', 'b', 'c', 'x'].filter(isKept)).toEqual(['a', 'c', 'x']);
    expect(spills.byteCount).toBe(3 * SIZE);
  });

  it('refuses a file larger than the share, and does not try it again', async () => {
    spills.close();
    spills = open({ diskBytesPerHolderMax: SIZE - 1 });
    let writeCount = 0;
    const counted = (file: string) => {
      writeCount++;
      return write(file);
    };
    const { signal } = new AbortController();
    for (let time = 0; time < 2; time++) {
      expect(await spills.holdOrWrite('a', 1, counted, signal)).toBeNull();
    }
    expect([writeCount, spills.byteCount]).toEqual([1, 0]);
  });
});

describe('a walk that was given up', () => {
  it('gets its file when somebody asks again', async () => {
    const gone = new AbortController();
    const never = (_file: string, signal: AbortSignal) =>
      new Promise<number>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const abandoned = spills.holdOrWrite('a', 1, never, gone.signal);
    gone.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    // Not only while the remains of the first writing are removed.
    for (let times = 0; times < 3; times++) {
      const held = await hold('a', 1);
      held.release();
      expect(spills.byteCount).toBe(SIZE);
      rmSync(held.file);
    }
  });

  it('is written on while one of those who want it still waits', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const begun = Promise.withResolvers<AbortSignal>();
    const until = (_file: string, signal: AbortSignal) =>
      new Promise<number>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        begun.resolve(signal);
      });
    const waiting = [first, second].map(({ signal }) => spills.holdOrWrite('a', 1, until, signal));
    const outcomes = Promise.allSettled(waiting);
    const writing = await begun.promise;
    first.abort(new Error('gone'));
    await expect(waiting[0]).rejects.toThrow('gone');
    expect(writing.aborted).toBe(false);
    second.abort(new Error('gone too'));
    await outcomes;
    expect(writing.aborted).toBe(true);
    expect(spills.byteCount).toBe(0);
  });
});
