import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

const never = new AbortController().signal;

describe('the turns of a derivation', () => {
  it('come in the order of the calls, so that work may wait for earlier work', async () => {
    const turns = new Turns(never);
    const ended: number[] = [];
    let before: Promise<unknown> = Promise.resolve();
    const works = Array.from({ length: 20 }, (_, n) => {
      const earlier = before;
      const work = turns.run(async () => {
        // The later ones would be done first.
        for (let i = n; i < 20; i++) await nextTurn();
        await earlier;
        ended.push(n);
        return n;
      });
      before = work;
      return work;
    });
    expect(await turns.all(works)).toEqual([...works.keys()]);
    expect(ended).toEqual([...works.keys()]);
  });

  it('go on no more when one fails, and all have ended when its error is thrown', async () => {
    const turns = new Turns(never);
    let runningCount = 0;
    const begun: number[] = [];
    const works = Array.from({ length: 20 }, (_, n) =>
      turns.run(async () => {
        begun.push(n);
        runningCount++;
        try {
          if (n === 1) throw new Error('the disk is full');
          while (!turns.signal.aborted) await nextTurn();
          turns.signal.throwIfAborted();
        } finally {
          await nextTurn();
          runningCount--;
        }
      }),
    );
    await expect(turns.all(works)).rejects.toThrow('the disk is full');
    expect(runningCount).toBe(0);
    expect(begun).toEqual([0, 1]);
  });

  it('end with the reason of whoever stops them', async () => {
    const stop = new AbortController();
    const turns = new Turns(stop.signal);
    const work = turns.run(async () => {
      stop.abort(new Error('interrupted'));
      turns.signal.throwIfAborted();
    });
    await expect(turns.all([work])).rejects.toThrow('interrupted');
  });
});
