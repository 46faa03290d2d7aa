import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WorkPool } from './derivation-run.ts';

const never = new AbortController().signal;

describe('the work pool of a derivation', () => {
  it('starts work in the order of the calls, so that work may wait for earlier work', async () => {
    const pool = new WorkPool(never);
    const ended: number[] = [];
    let before: Promise<unknown> = Promise.resolve();
    const works = Array.from({ length: 20 }, (_, n) => {
      const earlier = before;
      const work = pool.run(async () => {
        // The later ones would be done first.
        for (let i = n; i < 20; i++) await nextTurn();
        await earlier;
        ended.push(n);
        return n;
      });
      before = work;
      return work;
    });
    expect(await pool.all(works)).toEqual([...works.keys()]);
    expect(ended).toEqual([...works.keys()]);
  });

  it('starts nothing after a failure, and throws it when all work has ended', async () => {
    const pool = new WorkPool(never);
    let runningCount = 0;
    const begun: number[] = [];
    const works = Array.from({ length: 20 }, (_, n) =>
      pool.run(async () => {
        begun.push(n);
        runningCount++;
        try {
          if (n === 1) throw new Error('the disk is full');
          while (!pool.signal.aborted) await nextTurn();
          pool.signal.throwIfAborted();
        } finally {
          await nextTurn();
          runningCount--;
        }
      }),
    );
    await expect(pool.all(works)).rejects.toThrow('the disk is full');
    expect(runningCount).toBe(0);
    expect(begun).toEqual([0, 1]);
  });

  it('fails with the reason of the given signal', async () => {
    const stop = new AbortController();
    const pool = new WorkPool(stop.signal);
    const work = pool.run(async () => {
      stop.abort(new Error('interrupted'));
      pool.signal.throwIfAborted();
    });
    await expect(pool.all([work])).rejects.toThrow('interrupted');
  });
});
