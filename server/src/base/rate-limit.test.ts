import { expect, it } from 'vitest';
import { fixedClock } from './clock.ts';
import { RateLimit } from './rate-limit.ts';

function openLimit() {
  const clock = fixedClock('2025-06-20T16:00:00Z');
  return { clock, limit: new RateLimit<number>({ clock, timesMax: 2, keysMax: 3 }) };
}

it('is reached by as many times in a minute, for each key alone', () => {
  const { clock, limit } = openLimit();
  limit.count(1);
  expect(limit.isReached(1)).toBe(false);
  limit.count(1);
  expect([limit.isReached(1), limit.isReached(2)]).toEqual([true, false]);
  clock.set('2025-06-20T16:00:59.999Z');
  expect(limit.isReached(1)).toBe(true);
  clock.set('2025-06-20T16:01:00Z');
  expect(limit.isReached(1)).toBe(false);
});

it('takes back what was counted, once it is still there', () => {
  const { clock, limit } = openLimit();
  limit.count(1);
  const takeBack = limit.count(1);
  takeBack();
  expect(limit.isReached(1)).toBe(false);
  const takeBackLate = limit.count(1);
  clock.set('2025-06-20T16:02:00Z');
  limit.count(1);
  takeBackLate();
  limit.count(1);
  expect(limit.isReached(1)).toBe(true);
});

it('remembers no more keys than it may, those that were counted last', () => {
  const { limit } = openLimit();
  for (const key of [1, 1, 2, 2, 1]) limit.count(key);
  for (const key of [3, 4]) limit.count(key);
  expect(limit.keyCount).toBe(3);
  expect([limit.isReached(1), limit.isReached(2)]).toEqual([true, false]);
});
