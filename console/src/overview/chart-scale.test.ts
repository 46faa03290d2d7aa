import { describe, expect, it } from 'vitest';
import { axisTicks } from './chart-scale';

describe('the ticks of an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [5, [0, 2, 4, 6]],
    [87, [0, 50, 100]],
    [4000, [0, 1000, 2000, 3000, 4000]],
  ])('of %d are round and reach it', (max, ticks) => {
    expect(axisTicks(max)).toEqual(ticks);
  });

  it('are few, begin at nothing and reach the largest bar, whatever its size', () => {
    for (let max = 1; max < 1e15; max *= 3.7) {
      const ticks = axisTicks(max);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.at(-1)! / max).toBeLessThan(2.6);
    }
  });
});
