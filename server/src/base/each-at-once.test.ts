import { expect, it } from 'vitest';
import { eachAtOnce } from './each-at-once.ts';

it('begins no other work after a failure, and ends what was begun before it tells', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const failed = Promise.withResolvers<void>();
  const working = eachAtOnce([0, 1, 2, 3], 2, async (item) => {
    begun.push(item);
    if (item === 0) {
      failed.resolve();
      throw new Error('enough');
    }
    await failed.promise;
    ended.push(item);
  });
  await expect(working).rejects.toThrow('enough');
  expect([begun, ended]).toEqual([[0, 1], [1]]);
});

it('works on all items, never on more at once than it may', async () => {
  const done: number[] = [];
  let [atOnce, most] = [0, 0];
  await eachAtOnce([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    done.push(item);
  });
  expect([done.sort(), most]).toEqual([[1, 2, 3, 4, 5], 2]);
});
