import { describe, expect, it } from 'vitest';
import { legendText } from './bar-legend';
import type { TickSeries } from './chart-series';
import { dotRadius, tickAt, tickLegend } from './tick-legend';

const SERIES: TickSeries = {
  kind: 'ticks',
  trades: [
    { time: 10, value: 185.02, size: 100 },
    { time: 20, value: 185.1, size: 2500 },
  ],
  volumes: [],
  bids: [{ time: 5, value: 185, size: 300 }],
  asks: [{ time: 15, value: 185.05, size: 0 }],
  hasBestQuotesOnly: false,
};

describe('the legend of ticks', () => {
  it('tells the last trade and quotes by then, with their sizes as far as there are any', () => {
    const at = (time: number) => legendText(tickLegend(SERIES, time, 2).slice(1));
    expect(at(4)).toBe('');
    expect(at(12)).toBe('Trade 185.02 × 100, Bid 185.00 × 300');
    expect(at(30)).toBe('Trade 185.10 × 2,500, Bid 185.00 × 300, Ask 185.05');
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
