import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fairTurns } from './fair-turns.ts';

/** Work of which the test ends one piece after the other, and the order in which it was begun. */
function openTurns(runningMax: number, waitingMax: number) {
  const turns = fairTurns(runningMax, waitingMax);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (source: string, isKnown = false) => {
    const work = () => {
      begun.push(source);
      return new Promise<void>((end) => ends.push(end));
    };
    turns.run({ source, isKnown }, work).catch(({ kind }) => refused.push(`${source} ${kind}`));
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endOne = async () => {
    ends.shift()?.();
    await settle();
  };
  const endAll = async () => {
    await settle();
    while (ends.length > 0) await endOne();
  };
  return { ask, endOne, endAll, settle, begun, refused };
}

describe('fair turns', () => {
  it('go round between sources, however much one of them asks for', async () => {
    const { ask, endAll, begun } = openTurns(1, 10);
    for (const source of ['running', 'a', 'a', 'a', 'a', 'b', 'b', 'c']) ask(source);
    await endAll();
    expect(begun.join(' ')).toBe('running a b c a b a a');
  });

  it('come to what one source asks for in the order in which it asked', async () => {
    const turns = fairTurns(1, 10);
    const begun: number[] = [];
    const ask = (number: number) =>
      turns.run({ source: 'a', isKnown: false }, async () => {
        begun.push(number);
      });
    await Promise.all([1, 2, 3, 4].map(ask));
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('are every other one for those who are known', async () => {
    const { ask, endAll, begun } = openTurns(1, 10);
    ask('running');
    for (const source of ['a', 'b', 'c']) ask(source);
    for (const source of ['K', 'L', 'M', 'N']) ask(source, true);
    await endAll();
    expect(begun.join(' ')).toBe('running K a L b M c N');
  });

  it('refuse who asks when the queue is full of others with as little', async () => {
    const { ask, endAll, begun, refused } = openTurns(1, 3);
    for (const source of ['running', 'a', 'b', 'c', 'd', 'a']) ask(source);
    await endAll();
    expect(refused).toEqual(['d unavailable', 'a unavailable']);
    expect(begun.join(' ')).toBe('running a b c');
  });

  it('take room in a full queue from the source that waits for most', async () => {
    const { ask, endAll, begun, refused } = openTurns(1, 4);
    for (const source of ['running', 'a', 'a', 'a', 'a', 'b', 'c', 'b', 'd']) ask(source);
    await endAll();
    expect(refused.sort()).toEqual([
      'a unavailable',
      'a unavailable',
      'a unavailable',
      'b unavailable',
    ]);
    expect(begun.join(' ')).toBe('running a b c d');
  });

  it('have a queue for those who are known that no flood of others fills', async () => {
    const { ask, endAll, begun, refused } = openTurns(2, 5);
    for (let at = 0; at < 100; at++) ask(`flood ${at}`);
    ask('known', true);
    await endAll();
    expect(refused).toHaveLength(93);
    expect(begun[2]).toBe('known');
  });

  it('never run more at once than they may, and end whatever was not refused', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ source: fc.constantFrom('a', 'b', 'c', 'd'), isKnown: fc.boolean() }),
        fc.constant('end' as const),
      ),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { ask, endOne, endAll, settle, begun, refused } = openTurns(2, 4);
        let [asked, ended] = [0, 0];
        for (const step of all) {
          if (step === 'end') {
            if (begun.length > ended) ended++;
            await endOne();
          } else {
            ask(step.source, step.isKnown);
            asked++;
            await settle();
          }
          expect(begun.length - ended).toBeLessThanOrEqual(2);
          expect(asked - begun.length - refused.length).toBeLessThanOrEqual(8);
        }
        await endAll();
        expect(begun.length + refused.length).toBe(asked);
      }),
      { numRuns: 100 },
    );
  });
});
