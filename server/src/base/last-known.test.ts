import { afterEach, expect, it, vi } from 'vitest';
import { lastKnown } from './last-known.ts';

afterEach(() => void vi.useRealTimers());

it('tells within a second what was known last of what hangs, and asks no second time meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let asked = 0;
  let answer = Promise.resolve('first');
  const ask = lastKnown(() => {
    asked++;
    return answer;
  }, 'nothing yet');
  expect(await ask()).toEqual({ value: 'first', isOld: false });
  const hanging = Promise.withResolvers<string>();
  answer = hanging.promise;
  for (let time = 0; time < 2; time++) {
    const told = ask();
    await vi.advanceTimersByTimeAsync(999);
    expect(await told).toEqual({ value: 'first', isOld: true });
  }
  expect(asked).toBe(2);
  hanging.resolve('second');
  expect(await ask()).toEqual({ value: 'second', isOld: false });
});

it('has a word for what has never answered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const told = lastKnown(() => new Promise<string>(() => undefined), 'nothing yet')();
  await vi.advanceTimersByTimeAsync(999);
  expect(await told).toEqual({ value: 'nothing yet', isOld: true });
});
