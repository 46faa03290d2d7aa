import { expect, it } from 'vitest';
import { warmUpWriters } from './warm-up.ts';

it('lets others have their turns, and ends when it is told to', async () => {
  const stop = new AbortController();
  let isDone = false;
  let turns = 0;
  const warmUp = warmUpWriters(stop.signal).then(() => {
    isDone = true;
  });
  for (; !isDone; turns++) {
    if (turns === 10) stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await warmUp;
  expect(turns).toBeGreaterThan(10);
  expect(turns).toBeLessThan(20);
});
