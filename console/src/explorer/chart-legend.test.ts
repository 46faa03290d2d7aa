import { describe, expect, it } from 'vitest';
import { BarBuilder, timelineOf } from './bars';
import { dotRadius } from './chart-layers';
import { chartTimeText, legendAt, legendText, priceText, scaleDigits } from './chart-legend';

describe('the digits of prices', () => {
  it('are, on a scale, those that most prices have', () => {
    expect(scaleDigits([])).toBe(2);
    expect(scaleDigits([187, 188])).toBe(2);
    expect(scaleDigits([187.41, 187.42, 187.43, 187.4251])).toBe(2);
    expect(scaleDigits([1.0845, 1.08455, 1.085, 1.08465])).toBe(5);
    expect(scaleDigits([100 + 0.1 + 0.2])).toBe(2);
  });

  it('never hide any of a price', () => {
    expect([187.4, 187.4251, 100 + 0.1 + 0.2].map((price) => priceText(price))).toEqual([
      '187.40',
      '187.4251',
      '100.30',
    ]);
    expect(priceText(1.085, 5)).toBe('1.08500');
  });
});

function ticksOf(...ticks: readonly (readonly [time: number, price: number, size: number])[]) {
  const builder = new BarBuilder(true);
  for (const [time, price, volume] of ticks) {
    builder.add({ time, open: price, high: price, low: price, close: price, volume }, 0);
  }
  return builder.bars();
}

describe('the legend of ticks', () => {
  it('tells the last trade and quotes by then, with their sizes as far as there are any', () => {
    const ticks = [
      ['Trade', ticksOf([10, 185.02, 100], [20, 185.1, 2500])],
      ['Bid', ticksOf([5, 185, 300])],
      ['Ask', ticksOf([15, 185.05, 0])],
    ] as const;
    const timeline = timelineOf(new Map(ticks));
    expect([...timeline.times]).toEqual([5, 10, 15, 20]);
    const of = { timeline, kind: 'ticks', isDaily: false, hasVolume: true, digits: 2 } as const;
    const at = (moment: number) =>
      legendText(legendAt(of, { first: moment, last: moment }, 0).slice(1));
    expect(at(0)).toBe('Bid 185.00 × 300');
    expect(at(1)).toBe('Trade 185.02 × 100, Bid 185.00 × 300');
    expect(at(3)).toBe('Trade 185.10 × 2,500, Bid 185.00 × 300, Ask 185.05');
  });

  it('tells times to the millisecond', () => {
    const second = Date.parse('2026-11-18T09:30:00Z') / 1000;
    expect(chartTimeText(second + 0.123, false)).toBe('2026-11-18 09:30:00.123');
    expect(chartTimeText(second, false)).toBe('2026-11-18 09:30:00');
  });
});

describe('the dot of a trade', () => {
  it('has an area that goes by the size, within bounds', () => {
    expect(dotRadius(0, 100)).toBe(2);
    expect(dotRadius(100, 100)).toBe(9);
    expect(dotRadius(25, 100)).toBeCloseTo(2 + 7 / 2);
    expect(dotRadius(500, 100)).toBe(9);
    expect(dotRadius(5, 0)).toBe(2);
  });
});
