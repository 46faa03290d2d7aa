import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ArrivalQueue, Semaphore } from './semaphore.ts';

it('runs no more at once than it may, as many as it may, and all in the end', async () => {
  const turns = new Semaphore(3, new ArrivalQueue());
  let [runningCount, greatest] = [0, 0];
  const begun: number[] = [];
  const work = async (number: number) => {
    begun.push(number);
    runningCount++;
    greatest = Math.max(greatest, runningCount);
    await wait(number % 2);
    runningCount--;
    if (number % 5 === 0) throw new Error(`${number}`);
    return number;
  };
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  for (let round = 0; round < 2; round++) {
    begun.length = 0;
    const outcomes = await Promise.allSettled(
      numbers.map((number) => turns.run(undefined, () => work(number))),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(outcomes[7]).toEqual({ status: 'fulfilled', value: 7 });
    expect(begun).toEqual(numbers);
    expect(greatest).toBe(3);
  }
});
