/** Exact sums of sizes, and sizes restated by splits, against plain sums of big integers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjustQuantity } from './adjustment.ts';
import { isQuantityColumn, plus, QuantitySum, quantityOf } from './quantity.ts';
import { roundRatio } from './rounding.ts';

const LARGE = 10n ** 24n;
const units = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 9n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: 0n, max: LARGE }),
);

describe('sums of quantities', () => {
  it('are those of big integers, as products are', () => {
    const factor = fc.integer({ min: -1_000_000, max: 3_000_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(factor, units), { maxLength: 50 }), (pairs) => {
        const [sum, products] = [new QuantitySum(), new QuantitySum()];
        let total = 0n;
        let worth = 0n;
        for (const [times, each] of pairs) {
          sum.add(quantityOf(each));
          products.addProduct(times, quantityOf(each));
          total += each;
          worth += BigInt(times) * each;
        }
        expect([BigInt(sum.value), BigInt(products.value)]).toEqual([total, worth]);
        const pairwise = pairs.reduce<number | bigint>(
          (all, [, each]) => plus(all, quantityOf(each)),
          0,
        );
        expect(BigInt(pairwise)).toBe(total);
      }),
    );
  });

  it('give ratios rounded to even', () => {
    expect(roundRatio(5n * LARGE, 1, 2n * LARGE)).toBe(2);
    expect(roundRatio(7n * LARGE, 1, 2n * LARGE)).toBe(4);
    expect(roundRatio(-(LARGE + 1n), 10, 3n * LARGE)).toBe(-3);
  });
});

describe('quantities restated', () => {
  it.each([
    [2 ** 53 + 2, 1, 2n ** 53n + 2n],
    [38_700, 0.142857142857143, 270_900n],
    [1e15, 0.142857142857143, 7n * 10n ** 15n],
    [1e15 + 1, 0.5, 2n * (10n ** 15n + 1n)],
    [5e13 + 5, 10, 5n * 10n ** 12n],
    [3e15, 1.5, 2n * 10n ** 15n],
  ])('of %d units by a factor of %d keep every unit', (quantity, volume, restated) => {
    expect(adjustQuantity(BigInt(quantity), { price: volume, volume })).toBe(restated);
  });
});

it('tells sizes and volumes from counts by their names', () => {
  const names = ['Volume', 'BidSize', 'Quantity', 'OpenInterest', 'TradeAtMid', 'UptickVolume'];
  expect(names.filter((name) => !isQuantityColumn(name))).toEqual([]);
  const others = ['TradeAtMidCount', 'TotalTrades', 'ASID', 'Price', 'VolumeWeightPrice'];
  expect(others.filter(isQuantityColumn)).toEqual([]);
});
