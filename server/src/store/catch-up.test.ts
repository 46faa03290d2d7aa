import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CatchUp } from './catch-up.ts';

/** A reading that ends when it is told to, of a truth that changes meanwhile. */
function slowReading() {
  const ends: PromiseWithResolvers<void>[] = [];
  const state = { truth: 0, known: -1, runningCount: 0, isAlone: true };
  const catchUp = new CatchUp(async () => {
    state.isAlone &&= state.runningCount++ === 0;
    const { truth } = state;
    const end = Promise.withResolvers<void>();
    ends.push(end);
    await end.promise.finally(() => state.runningCount--);
    state.known = truth;
  });
  return { catchUp, ends, state };
}

describe('catching up', () => {
  it('is begun at once, and once for all who ask while another one runs', async () => {
    const { catchUp, ends, state } = slowReading();
    const first = catchUp.now();
    expect(ends).toHaveLength(1);
    state.truth = 1;
    const later = [catchUp.now(), catchUp.now()];
    state.truth = 2;
    ends[0]?.resolve();
    await first;
    expect(state.known).toBe(0);
    await nextTurn();
    expect(ends).toHaveLength(2);
    ends[1]?.resolve();
    await Promise.all(later);
    expect(state).toMatchObject({ known: 2, isAlone: true });
  });

  it('begins, where it gathers, once for all who ask until then', async () => {
    let beganCount = 0;
    const catchUp = new CatchUp(async () => void beganCount++, nextTurn);
    const asked = [catchUp.now(), Promise.resolve().then(() => catchUp.now())];
    expect(beganCount).toBe(0);
    await Promise.all(asked);
    expect(beganCount).toBe(1);
    await catchUp.now();
    expect(beganCount).toBe(2);
  });

  it('begins again after it has ended, and never twice at a time', async () => {
    const { catchUp, ends, state } = slowReading();
    const asked: Promise<number>[] = [];
    for (let truth = 0; truth < 20; truth++) {
      state.truth = truth;
      asked.push(catchUp.now().then(() => state.known));
      if (truth % 3 === 0) ends.at(-1)?.resolve();
      if (truth % 2 === 0) await Promise.resolve();
    }
    const all = Promise.all(asked);
    while (state.known < 19) {
      ends.at(-1)?.resolve();
      await nextTurn();
    }
    expect((await all).every((known, truth) => known >= truth)).toBe(true);
    expect(state.isAlone).toBe(true);
  });

  it('fails those alone who waited for the reading that failed', async () => {
    const { catchUp, ends } = slowReading();
    const failing = catchUp.now();
    const next = catchUp.now();
    ends[0]?.reject(new Error('the disk is gone'));
    await expect(failing).rejects.toThrow('the disk is gone');
    await nextTurn();
    ends[1]?.resolve();
    await expect(next).resolves.toBeUndefined();
  });
});
