import { describe, expect, it } from 'vitest';
import {
  addDays,
  daysBetween,
  daysOfRows,
  firstDayOf,
  intervalOfDays,
  intervalsOf,
} from './bar-range';
import { CHART_INTERVALS } from './chart-choices';
import { chartPlan } from './chart-plan';
import type { DatasetShape } from './dataset-shape';

const MINUTES =
  'TradeDate Ticker BarDateTime FirstTradePrice HighTradePrice LowTradePrice LastTradePrice Volume';

function minuteBars(intervalColumns: string) {
  const plan = chartPlan(MINUTES.split(' '))!;
  const shape = { date_column: 'TradeDate', interval_columns: intervalColumns.split(' ') };
  return [shape as unknown as DatasetShape, plan] as const;
}

describe('the intervals of a dataset', () => {
  it('are those that the service can put together', () => {
    expect(intervalsOf(...minuteBars(MINUTES), [])).toEqual(CHART_INTERVALS);
    expect(intervalsOf(...minuteBars('Volume'), [])).toEqual(['1m']);
  });

  it('are the stored one alone where a filter fits no other', () => {
    expect(intervalsOf(...minuteBars(MINUTES), ['Ticker', 'BarDateTime'])).toEqual(CHART_INTERVALS);
    expect(intervalsOf(...minuteBars(MINUTES), ['Volume'])).toEqual(['1m']);
  });

  it('grow with the range, and are never shorter than what is stored', () => {
    const chosen = [1, 5, 31, 183, 366, 3000, 9000].map((days) =>
      intervalOfDays(days, CHART_INTERVALS),
    );
    expect(chosen).toEqual(['1m', '5m', '15m', '1h', '1d', '1w', '1mo']);
    expect(intervalOfDays(7, ['1d', '1w', '1mo'])).toBe('1d');
    expect(intervalOfDays(9000, ['1m'])).toBe('1m');
  });
});

describe('the days of a range', () => {
  it('end on the last one and do not begin before there is anything', () => {
    expect(firstDayOf('1D', '2026-11-20', '2016-01-04')).toBe('2026-11-20');
    expect(firstDayOf('1M', '2026-11-20', '2016-01-04')).toBe('2026-10-21');
    expect(firstDayOf('1M', '2026-11-20', '2026-11-02')).toBe('2026-11-02');
    expect(firstDayOf('All', '2026-11-20', '2016-01-04')).toBe('2016-01-04');
  });

  it('are counted by the calendar', () => {
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
    expect(daysBetween('2026-02-27', '2026-03-02')).toBe(4);
  });

  it('come in answers of a bounded number of rows', () => {
    expect(daysOfRows(30_000, '1m', 1) * 960).toBeLessThanOrEqual(30_000);
    expect(daysOfRows(500, '1m', 6)).toBe(1);
  });
});
