import { describe, expect, it } from 'vitest';
import { TICKS } from '../../test/fixtures/shapes';
import { chartPlan } from './chart-plan';
import type { DatasetShape } from './dataset-shape';
import { queryOfSearch } from './explorer-query';
import { requestOf, requestPath } from './explorer-request';
import { type AskedRows, rowIntervals, rowsAsked } from './row-charts';

const EVENTS = ['TRADE', 'TRADE NB', 'TRADE CANCELLED', 'QUOTE BID', 'QUOTE ASK NB'];
const SHAPE: DatasetShape = {
  ...TICKS,
  columns: [
    ...TICKS.columns,
    { name: 'EventType', data_type: 'string', operators: ['eq', 'in'], values: EVENTS },
    { name: 'Quantity', data_type: 'integer', operators: ['eq'] },
  ],
};
const PLAN = chartPlan(SHAPE.columns.map(({ name }) => name))!;

function queryOf(search: Parameters<typeof queryOfSearch>[0], shape = SHAPE) {
  const query = queryOfSearch({ date: '2026-11-18', identifier: 'AVQX', ...search });
  return { request: requestOf(query, shape), plan: PLAN, shape };
}

const pathOf = ({ request }: AskedRows) => decodeURIComponent(requestPath(request));

describe('the rows of a chart', () => {
  it('are those of the query, in natural order, with the columns of the chart', () => {
    const asked = rowsAsked(queryOf({ columns: 'Price', sort: '-Price' }), 'tick');
    expect(pathOf(asked)).toBe(
      '/data/us-equity/eq-taq/2026-11-18/AVQX' +
        '?columns=TradeDate,Ticker,EventDateTime,Price,Quantity,EventType',
    );
  });

  it('are bars of their trades, which the service puts together', () => {
    const asked = rowsAsked(queryOf({ filters: ['Price.gt=1'] }), '5m');
    expect(pathOf(asked)).toBe(
      '/data/us-equity/eq-taq/2026-11-18/AVQX/aggregate' +
        '?Price.gt=1&EventType.in=TRADE,TRADE NB&Price.gt=0&by=Ticker&interval=5m' +
        '&select=first(Price),max(Price),min(Price),last(Price),sum(Quantity)',
    );
    expect(asked.plan).toMatchObject({ kind: 'candles', close: 'last(Price)' });
  });

  it('are bars without volumes where sizes are hidden, and of prices below zero of futures', () => {
    const columns = SHAPE.columns.filter(({ name }) => name !== 'Quantity');
    const query = queryOf({}, { ...SHAPE, columns, root_column: 'BaseSymbol' });
    const plan = chartPlan(columns.map(({ name }) => name))!;
    const asked = rowsAsked({ ...query, plan }, '5m');
    expect(pathOf(asked)).toBe(
      '/data/us-equity/eq-taq/2026-11-18/AVQX/aggregate' +
        '?EventType.in=TRADE,TRADE NB&by=Ticker&interval=5m' +
        '&select=first(Price),max(Price),min(Price),last(Price)',
    );
    expect(asked.plan).toMatchObject({ kind: 'candles', volume: null });
  });

  it('are bars where there are many ticks, or more than is known yet, unless somebody chose', () => {
    const intervalOf = (...chosen: readonly [chosen: '5m' | 'tick' | null, count: number | null]) =>
      rowIntervals(queryOf({}), ...chosen).interval;
    expect([3000, 3001, null].map((count) => intervalOf(null, count))).toEqual([
      'tick',
      '1m',
      '1m',
    ]);
    expect([intervalOf('5m', 10), intervalOf('tick', null)]).toEqual(['5m', 'tick']);
  });

  it('are no bars where rows do not tell trades, or the query chooses among events', () => {
    const intervals = (search: Parameters<typeof queryOf>[0], shape: DatasetShape) =>
      rowIntervals(queryOf(search, shape), '1m', null).intervals;
    expect(intervals({}, SHAPE)).toContain('1h');
    expect(intervals({ filters: ['EventType=TRADE'] }, SHAPE)).toEqual(['tick']);
    expect(intervals({}, TICKS)).toEqual(['tick']);
  });
});
