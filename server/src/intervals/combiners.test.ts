import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExactAverage } from './combiners.ts';

function averageOf(pairs: readonly (readonly [number, bigint])[], decimals = 6): number | null {
  const average = new ExactAverage();
  for (const [value, weight] of pairs) average.add(value, weight);
  return average.value(decimals);
}

it('has no value without weights', () => {
  expect(averageOf([])).toBeNull();
  expect(averageOf([[12.5, 0n]])).toBeNull();
});

it('rounds to as many decimals as it is asked for', () => {
  const pairs = [
    [-26.17052632, 19n],
    [-26.17052631, 1n],
  ] as const;
  expect(averageOf(pairs, 8)).toBe(-26.17052632);
  expect(averageOf(pairs)).toBe(-26.170526);
});

it('rounds to 6 decimals, ties to the even digit', () => {
  expect(
    averageOf([
      [0.000001, 1n],
      [0.000002, 1n],
    ]),
  ).toBe(0.000002);
  expect(
    averageOf([
      [0.000002, 1n],
      [0.000003, 1n],
    ]),
  ).toBe(0.000002);
  expect(
    averageOf([
      [-0.000001, 1n],
      [-0.000002, 1n],
    ]),
  ).toBe(-0.000002);
  expect(
    averageOf([
      [10, 1n],
      [20, 2n],
    ]),
  ).toBe(16.666667);
  expect(
    averageOf([
      [-10, 1n],
      [-20, 2n],
    ]),
  ).toBe(-16.666667);
});

it('is exact where sums are far beyond what a double holds', () => {
  const huge = 4_000_000_000_000_000_000n;
  expect(
    averageOf([
      [700_000.000001, huge],
      [700_000.000003, huge],
    ]),
  ).toBe(700_000.000002);
});

it('is the same in any order, and that of whole numbers', () => {
  // In units of the sixth decimal, so that the test needs no floating point.
  const pair = fc.tuple(
    fc.integer({ min: -900_000_000_000, max: 900_000_000_000 }),
    fc.bigInt({ min: 0n, max: 2n ** 62n }),
  );
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1 }), (pairs) => {
      const weight = pairs.reduce((sum, [, each]) => sum + each, 0n);
      fc.pre(weight > 0n);
      const worth = pairs.reduce((sum, [units, each]) => sum + BigInt(units) * each, 0n);
      const value = averageOf(pairs.map(([units, each]) => [units / 1e6, each])) as number;
      const units = BigInt(Math.round(value * 1e6));
      // Not further off than half a unit.
      const distance = 2n * (units * weight - worth);
      expect(distance <= weight && -distance <= weight).toBe(true);
      expect(averageOf(pairs.toReversed().map(([u, each]) => [u / 1e6, each]))).toBe(value);
    }),
  );
});
