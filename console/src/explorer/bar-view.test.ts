import { describe, expect, it } from 'vitest';
import { barsOfRows } from '../../test/fixtures/bars';
import { DAILY } from '../../test/fixtures/shapes';
import { addDays, daysBetween } from '../format/dates';
import {
  type BarPlan,
  barPlan,
  barRequest,
  barView,
  daysOfRows,
  filteredColumns,
  firstDayOf,
  intervalOfDays,
  intervalsOf,
  symbolsOf,
} from './bar-view';
import { timelineOf } from './bars';
import { legendAt, legendText, priceDigitsOf } from './chart-legend';
import { chartPlan } from './chart-plan';
import type { DatasetShape } from './dataset-shape';
import { queryOfSearch } from './explorer-query';
import { requestOf, requestPath } from './explorer-request';
import { BAR_INTERVALS } from './explorer-search';

const MINUTES =
  'TradeDate Ticker BarDateTime FirstTradePrice HighTradePrice LowTradePrice LastTradePrice Volume';

function minuteBars(intervalColumns: string) {
  const plan = chartPlan(MINUTES.split(' ')) as BarPlan;
  const shape = { date_column: 'TradeDate', interval_columns: intervalColumns.split(' ') };
  return [shape as unknown as DatasetShape, plan] as const;
}

describe('the intervals of a dataset', () => {
  it('are those that the service can put together', () => {
    expect(intervalsOf(...minuteBars(MINUTES), [])).toEqual(BAR_INTERVALS);
    expect(intervalsOf(...minuteBars('Volume'), [])).toEqual(['1m']);
  });

  it('are the stored one alone where a filter fits no other', () => {
    expect(intervalsOf(...minuteBars(MINUTES), ['Ticker', 'BarDateTime'])).toEqual(BAR_INTERVALS);
    expect(intervalsOf(...minuteBars(MINUTES), ['Volume'])).toEqual(['1m']);
  });

  it('grow with the range, and are never shorter than what is stored', () => {
    const chosen = [1, 5, 31, 183, 366, 3000, 9000].map((days) =>
      intervalOfDays(days, BAR_INTERVALS),
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

const NAMES = [
  ...['TradeDate', 'Ticker', 'BarDateTime', 'FirstTradePrice', 'HighTradePrice'],
  ...['LowTradePrice', 'LastTradePrice', 'Volume'],
];
const SHAPE: DatasetShape = {
  ...DAILY,
  columns: NAMES.map((name) => ({ name, data_type: 'string', operators: ['eq'] })),
  interval_columns: NAMES,
};
const PLAN = barPlan(chartPlan(NAMES), SHAPE) as BarPlan;
const WHOLE = { start: '2016-01-04', last: '2026-11-20' };
const NO_CHOICE = { range: null, interval: null };

function requestFor(search: Parameters<typeof queryOfSearch>[0]) {
  return requestOf(queryOfSearch({ identifier: 'AVQX', ...search }), SHAPE);
}

describe('the request of a chart', () => {
  it('has the dates, columns and interval of the chart, and the rest of the query', () => {
    const request = requestFor({
      ...{ from: '2026-01-02', to: '2026-02-02', period: '2Y', columns: 'Volume' },
      ...{ sort: '-TradeDate', version: '7', filters: ['Ticker.like=A*'] },
    });
    const span = { first: '2026-10-01', last: '2026-11-20', interval: '1h' } as const;
    const path = decodeURIComponent(requestPath(barRequest(request, PLAN, SHAPE, span)));
    expect(path).toContain('TradeDate.ge=2026-10-01&TradeDate.le=2026-11-20');
    expect(path).toContain(`columns=${NAMES.join(',')}&interval=1h`);
    expect(path).toContain('Ticker.like=A*');
    expect(path).toContain('dataset_version=7');
    expect(path).not.toMatch(/sort|period|2026-01-02/);
    const stored = barRequest(request, PLAN, SHAPE, { ...span, interval: '1m' });
    expect(requestPath(stored)).not.toContain('interval');
    const years = { first: '2016-11-16', last: '2026-11-20', interval: '1d' } as const;
    expect(requestPath(barRequest(request, PLAN, SHAPE, years))).toContain('period=11Y');
    expect(filteredColumns(request)).toEqual(['Ticker']);
    expect(symbolsOf(requestFor({ identifier: 'AVQX, DLMR' }), SHAPE)).toEqual(['AVQX', 'DLMR']);
  });
});

describe('the start of a chart', () => {
  it('is the newest days, or the dates of the query, or the range that was chosen', () => {
    const plain = barView(requestFor({}), PLAN, SHAPE, WHOLE, NO_CHOICE);
    expect(plain).toMatchObject({ first: '2026-11-14', interval: '5m', range: '5D' });
    const dated = requestFor({ from: '2026-06-01', to: '2026-06-30' });
    const view = barView(dated, PLAN, SHAPE, WHOLE, NO_CHOICE);
    expect(view).toMatchObject({ first: '2026-06-01', interval: '15m', range: null });
    expect(view.limits.last).toBe('2026-06-30');
    const chosen = barView(dated, PLAN, SHAPE, WHOLE, { range: '1Y', interval: '1m' });
    expect(chosen).toMatchObject({ first: '2025-06-30', interval: '1m', range: '1Y' });
  });

  it('is never outside of what the account may read', () => {
    const rules = [{ start_date: '2026-10-01', end_date: '2026-10-31', universe_identifiers: [] }];
    const view = barView(requestFor({}), PLAN, { ...SHAPE, rules }, WHOLE, {
      ...{ range: '1Y', interval: null },
    });
    expect(view).toMatchObject({ first: '2026-10-01' });
    expect(view.limits).toMatchObject({ floor: '2026-10-01', last: '2026-10-31' });
  });
});

describe('the legend', () => {
  const LOOKS = { isDaily: false, hasVolume: true, digits: 2 };
  const MINUTES = ['2026-11-20 X 09:30 2', '2026-11-20 X 09:31 3'];

  it('tells a bar, and what several that are drawn as one come to', () => {
    const of = { timeline: timelineOf(barsOfRows(...MINUTES)), kind: 'candles' as const, ...LOOKS };
    expect(legendText(legendAt(of, { first: 1, last: 1 }, 0))).toBe(
      'Time 2026-11-20 09:31:00, Open 3.00, High 3.00, Low 3.00, Close 3.00, Volume 100',
    );
    expect(legendText(legendAt(of, { first: 0, last: 1 }, 0))).toBe(
      'Time 2026-11-20 09:30:00 – 2026-11-20 09:31:00, Open 2.00, High 3.00, Low 2.00, Close 3.00, Volume 200',
    );
  });

  it('tells prices with the digits that they have, whatever computing left behind them', () => {
    const digitsOf = (price: number) => {
      const rows = [`2026-11-20 X 09:30 ${price}`, '2026-11-20 X 09:31 3'];
      return priceDigitsOf(barsOfRows(...rows).get('X')!);
    };
    expect([2, 187.4, 187.5725, 100 + 0.1 + 0.2].map(digitsOf)).toEqual([2, 2, 4, 2]);
  });

  it('tells several symbols by their distance from the first bar in sight', () => {
    const timeline = timelineOf(barsOfRows(...MINUTES, '2026-11-20 Y 09:30 4'));
    const entries = legendAt({ timeline, kind: 'closes', ...LOOKS }, { first: 1, last: 1 }, 0);
    expect(legendText(entries)).toBe('Time 2026-11-20 09:31:00, X 3.00 (+50.00%), Y 4.00 (+0.00%)');
  });
});
