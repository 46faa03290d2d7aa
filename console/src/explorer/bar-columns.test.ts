import { describe, expect, it } from 'vitest';
import { barsOfRows } from '../../test/fixtures/bars';
import { indexAt, indexFrom, joinBars } from './bar-columns';
import { timelineOf } from './bar-timeline';

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
    expect(closes(bars)).toEqual([180.5, 181.25, 183]);
    expect(bars.get('X')!.breaks).toEqual([0, 1]);
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

  it('of several symbols stand at the moments of all', () => {
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
