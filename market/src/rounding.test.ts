import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceOfTicks, roundDecimals, roundRatio, ticksOfPrice } from './rounding.ts';
import { ProductSum } from './turnover.ts';

/** Nearest whole number of a quotient, ties to even, in whole numbers of any size. */
function nearest(numerator: bigint, denominator: bigint): bigint {
  const floor = numerator / denominator - (numerator % denominator < 0n ? 1n : 0n);
  const twice = 2n * (numerator - floor * denominator);
  if (twice === denominator) return floor % 2n === 0n ? floor : floor + 1n;
  return twice > denominator ? floor + 1n : floor;
}

describe('rounding', () => {
  it('keeps every price of four decimals as it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (ticks) => {
        const price = Number(
          `${Math.floor(ticks / 10_000)}.${String(ticks % 10_000).padStart(4, '0')}`,
        );
        expect(ticksOfPrice(price)).toBe(ticks);
        expect(priceOfTicks(ticks)).toBe(price);
      }),
    );
  });

  it.each([
    [2.5, 0, 2],
    [3.5, 0, 4],
    [0.00005, 4, 0],
    [0.00015, 4, 0.0002],
    [1.0009 * 0.5, 4, 0.5004],
    [-2.5, 0, -2],
    [-2.6, 0, -3],
    [91.76782585446, 4, 91.7678],
  ])('of %d to %d decimals is %d: the nearest, ties to the even digit', (value, decimals, want) => {
    expect(roundDecimals(value, decimals) + 0).toBe(want);
  });

  it('keeps what is no number', () => {
    expect(roundDecimals(Number.NaN, 4)).toBeNaN();
    expect(priceOfTicks(Number.NaN)).toBeNaN();
  });

  it('is exact for a ratio of whole numbers', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -500, max: 500 })),
        fc.constantFrom(1, 10, 100, 500),
        fc.oneof(fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: 1, max: 40 })),
        (numerator, scale, denominator) => {
          const want = nearest(BigInt(numerator) * BigInt(scale), BigInt(denominator));
          fc.pre(Number.isSafeInteger(Number(want)));
          expect(roundRatio(numerator, scale, denominator) + 0).toBe(Number(want));
        },
      ),
    );
  });
});

describe('a sum of prices and times', () => {
  it('is exact far beyond the whole numbers of a double', () => {
    const anyTerm = fc.tuple(
      fc.integer({ min: -9_000_000, max: 9_000_000 }),
      fc.integer({ min: 0, max: 57_600_000_000_000 }),
    );
    fc.assert(
      fc.property(fc.array(anyTerm, { maxLength: 50 }), (terms) => {
        const sum = new ProductSum();
        let exact = 0n;
        for (const [value, nanos] of terms) {
          sum.add(value, nanos);
          exact += BigInt(value) * BigInt(nanos);
        }
        for (const denominator of [2, 57_600_000_000_000])
          expect(sum.roundedRatio(10, denominator) + 0).toBe(
            Number(nearest(exact * 10n, BigInt(denominator))),
          );
      }),
    );
  });
});
