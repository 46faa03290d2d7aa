import { describe, expect, it } from 'vitest';
import { timelineOf } from './bars';
import { legendAt, legendText } from './chart-legend';
import { dotRadius, type TickSeries, tickAt } from './tick-series';

const SERIES: TickSeries = {
  trades: [
    { time: 10, value: 185.02, size: 100 },
    { time: 20, value: 185.1, size: 2500 },
  ],
  bids: [{ time: 5, value: 185, size: 300 }],
  asks: [{ time: 15, value: 185.05, size: 0 }],
  hasBestQuotesOnly: false,
};

describe('the legend of ticks', () => {
  it('tells the last trade and quotes by then, with their sizes as far as there are any', () => {
    const timeline = timelineOf(SERIES);
    expect([...timeline.times]).toEqual([5, 10, 15, 20]);
    const of = { timeline, kind: 'ticks', isDaily: false, hasVolume: true, digits: 2 } as const;
    const at = (moment: number) =>
      legendText(legendAt(of, { first: moment, last: moment }, 0).slice(1));
    expect(at(0)).toBe('Bid 185.00 × 300');
    expect(at(1)).toBe('Trade 185.02 × 100, Bid 185.00 × 300');
    expect(at(3)).toBe('Trade 185.10 × 2,500, Bid 185.00 × 300, Ask 185.05');
  });

  it('finds the tick of a moment', () => {
    expect([9, 10, 19.5, 20].map((time) => tickAt(SERIES.trades, time)?.time ?? null)).toEqual([
      ...[null, 10, 10, 20],
    ]);
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
