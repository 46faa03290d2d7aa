import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barsOfRows } from '../../test/fixtures/bars';
import {
  BarBuilder,
  groupedBars,
  groupedCloses,
  groupedTrades,
  groupSize,
  indexAt,
  indexFrom,
  joinBars,
  levelOf,
  placeOf,
  spanOf,
  timelineOf,
} from './bars';

const closes = (bars: ReturnType<typeof barsOfRows>, symbol = 'X') => [...bars.get(symbol)!.close];

describe('bars', () => {
  it('are in the order of time, without those that have no prices, and know where trade dates begin', () => {
    const bars = barsOfRows(
      '2026-11-19 X 15:59 180.5',
      '2026-11-20 X 09:30 181.25',
      '2026-11-20 X 09:31',
      '2026-11-20 X 09:32 182',
      '2026-11-20 X 09:32 183',
      '2026-11-20 X 09:30 1',
    );
    expect(closes(bars)).toEqual([180.5, 1, 183]);
    expect(bars.get('X')!.breaks).toEqual([0, 1]);
  });

  it('are put in order where rows come in another one, and those at one moment are counted', () => {
    const builder = new BarBuilder(true);
    const rows = [
      ...[
        [30, 3, 2],
        [31, 4, 2],
        [10, 1, 1],
      ],
      ...[
        [30, 5, 2],
        [11, 2, 1],
        [10, 6, 1],
      ],
    ] as const;
    for (const [time, price, day] of rows) {
      builder.add({ time, open: price, high: price, low: price, close: price, volume: 7 }, day);
    }
    const { time, close, volume, breaks } = builder.bars();
    expect([time, close, volume].map((column) => [...column])).toEqual([
      [10, 11, 30, 31],
      [6, 2, 5, 4],
      [14, 7, 14, 7],
    ]);
    expect(breaks).toEqual([0, 2]);
    expect(builder.merged).toBe(2);
    expect([...builder.bars().close]).toEqual([6, 2, 5, 4]);
  });

  it('are as many as come', () => {
    const rows = Array.from({ length: 3000 }, (_, at) => {
      const minute = new Date(at * 60_000).toISOString();
      return `${minute.slice(0, 10)} X ${minute.slice(11, 16)} ${at + 1}`;
    });
    expect(closes(barsOfRows(...rows))).toEqual(rows.map((_, at) => at + 1));
  });

  it('are joined without a gap or a double bar, and keep their trade dates', () => {
    const later = barsOfRows(
      '2026-11-20 X 09:30 2',
      '2026-11-20 X 09:31 3',
      '2026-11-21 X 09:30 4',
    );
    const earlier = barsOfRows('2026-11-19 X 09:30 1', '2026-11-20 X 09:30 9');
    const joined = joinBars(earlier, later);
    expect(closes(joined)).toEqual([1, 2, 3, 4]);
    expect(joined.get('X')!.breaks).toEqual([0, 1, 3]);
    expect(closes(joinBars(new Map(), later))).toEqual([2, 3, 4]);
    expect(closes(joinBars(earlier, new Map()))).toEqual([1, 9]);
  });

  it('are found by their time', () => {
    const times = Float64Array.of(10, 20, 30);
    expect([9, 10, 19, 30, 31].map((time) => indexAt(times, time))).toEqual([-1, 0, 0, 2, 2]);
    expect([9, 10, 11, 30, 31].map((time) => indexFrom(times, time))).toEqual([0, 0, 1, 2, 3]);
  });

  it('stand at the moments of all symbols', () => {
    const bars = barsOfRows(
      ...['2026-11-20 X 09:30 1', '2026-11-20 X 09:32 2'],
      ...['2026-11-20 Y 09:31 3', '2026-11-20 Y 09:32 4', '2026-11-20 Y 09:40 5'],
    );
    const { times, series } = timelineOf(bars);
    expect([...times]).toEqual([...new Set([...times])].toSorted((a, b) => a - b));
    expect(times).toHaveLength(4);
    expect([...series.get('X')!.at!]).toEqual([0, -1, 1, -1]);
    expect([...series.get('Y')!.at!]).toEqual([-1, 0, 1, 2]);
  });
});

/** Bars of these prices, one after the other, each with its price as volume. */
function barsOf(prices: readonly number[]) {
  const builder = new BarBuilder();
  for (const [time, price] of prices.entries()) {
    const bar = {
      time,
      open: price,
      high: price + 1,
      low: price - 1,
      close: -price,
      volume: price,
    };
    builder.add(bar, 0);
  }
  return builder.bars();
}

const sizes = fc.constantFrom(1, 2, 4, 8, 64);
const prices = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 300 });

describe('bars that are put together', () => {
  it('are no more in sight than fit, and no fewer than half of that', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e6, noNaN: true }), fc.nat(4000), (length, most) => {
        const size = groupSize({ from: 0, to: length }, most);
        expect(length / size).toBeLessThanOrEqual(Math.max(1, most) + 1e-6);
        if (size > 1) expect(length / size).toBeGreaterThan(Math.max(1, most) / 2 - 1e-6);
      }),
    );
  });

  it('have each bar once, with its first open, last close, extremes and sum', () => {
    fc.assert(
      fc.property(prices, sizes, (values, size) => {
        const bars = barsOf(values);
        const level = levelOf({ from: 0, to: values.length }, size, values.length);
        const grouped = groupedBars(bars, level);
        const spans = grouped.map((_, place) => spanOf(level, place));
        expect(spans[0]?.first).toBe(0);
        expect(spans.at(-1)?.last).toBe(values.length - 1);
        for (const [place, { first, last }] of spans.entries()) {
          if (place > 0) expect(first).toBe(spans[place - 1]!.last + 1);
          const own = values.slice(first, last + 1);
          expect(grouped[place]).toEqual({
            time: first,
            open: own[0],
            high: Math.max(...own) + 1,
            low: Math.min(...own) - 1,
            close: -own.at(-1)!,
            volume: own.reduce((sum, value) => sum + value, 0),
          });
          expect(placeOf(level, first)).toBe(place);
          expect(placeOf(level, last)).toBe(place);
        }
      }),
    );
  });

  it('stay the same when earlier bars come, but for the first', () => {
    fc.assert(
      fc.property(prices, prices, sizes, (earlier, values, size) => {
        const grouped = (all: readonly number[]) => {
          const level = levelOf({ from: 0, to: all.length }, size, all.length);
          return groupedBars(barsOf(all), level).map(({ time, ...prices }) => prices);
        };
        const before = grouped(values);
        expect(grouped([...earlier, ...values]).slice(1 - before.length || Infinity)).toEqual(
          before.slice(1),
        );
      }),
    );
  });

  it('are only those in sight and a width beside it', () => {
    const level = levelOf({ from: 5000, to: 6000 }, 4, 100_000);
    expect(spanOf(level, 0)).toEqual({ first: 4000, last: 4003 });
    expect(spanOf(level, level.end - level.start - 1).last).toBe(7003);
    const atEnd = levelOf({ from: 99_000, to: 100_500 }, 4, 100_000);
    expect(spanOf(atEnd, atEnd.end - atEnd.start - 1).last).toBe(99_999);
  });

  it('have the largest of the trades of each place, and the volume of all', () => {
    const [trades, quotes] = [new BarBuilder(true), new BarBuilder()];
    const tick = (time: number, price: number, volume: number) => ({
      ...{ time, open: price, high: price, low: price, close: price, volume },
    });
    for (const [time, price, size] of [
      [0, 10, 5],
      [1, 11, 7],
      [1, 12, 2],
      [4, 13, 0],
    ] as const) {
      trades.add(tick(time, price, size), 0);
    }
    for (const time of [2, 3, 5]) quotes.add(tick(time, 9, 1), 0);
    expect(trades.merged).toBe(1);
    const timeline = timelineOf(
      new Map([
        ['Trade', trades.bars()],
        ['Bid', quotes.bars()],
      ]),
    );
    const level = levelOf({ from: 0, to: 6 }, 2, 6);
    expect(groupedTrades(timeline, timeline.series.get('Trade')!, level)).toEqual([
      { place: 0, time: 0, price: 12, size: 9, volume: 14 },
      { place: 2, time: 4, price: 13, size: 0, volume: 0 },
    ]);
  });

  it('have the last closes of each symbol, and none where a symbol has no bar', () => {
    const [a, b] = [new BarBuilder(), new BarBuilder()];
    const bar = (time: number, close: number) => ({
      ...{ time, open: 1, high: 1, low: 1, close, volume: 0 },
    });
    for (const time of [0, 1, 2, 3, 4, 5]) a.add(bar(time, time), 0);
    b.add(bar(4, 44), 0);
    const timeline = timelineOf(
      new Map([
        ['A', a.bars()],
        ['B', b.bars()],
      ]),
    );
    const level = levelOf({ from: 0, to: 6 }, 2, 6);
    const closes = (name: string) =>
      groupedCloses(timeline, timeline.series.get(name)!, level).map(({ value }) => value);
    expect(closes('A')).toEqual([1, 3, 5]);
    expect(closes('B')).toEqual([undefined, undefined, 44]);
  });
});
