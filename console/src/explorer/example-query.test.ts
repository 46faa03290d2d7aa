import { expect, it } from 'vitest';
import { DAILY, TICKS } from '../../test/fixtures/shapes.ts';
import { exampleSearch, takesIdentifier } from './example-query';

const CHART = { tab: 'chart', run: true };
const ROW = { Ticker: 'AVQX', ASID: '7', TradeDate: '2026-11-20', Root: 'XQI' };

it('is a chart of what a row names, on its day where the path needs one', () => {
  expect(exampleSearch(DAILY, ROW)).toEqual({ dataset: 'US1022', identifier: 'AVQX', ...CHART });
  expect(exampleSearch({ ...TICKS, date_column: 'TradeDate' }, ROW)).toEqual({
    ...{ dataset: 'US1032', identifier: 'AVQX', date: '2026-11-20', ...CHART },
  });
});

it('is of a number where the ticker is hidden or missing, and nothing without a name', () => {
  const { Ticker: _, ...unnamed } = ROW;
  expect(exampleSearch(DAILY, unnamed)?.identifier).toBe('7');
  expect(exampleSearch(DAILY, { ...ROW, Ticker: null, ASID: null })).toBeNull();
});

it('is a continuous contract of futures', () => {
  const futures = { ...DAILY, root_column: 'Root' };
  expect(exampleSearch(futures, ROW)?.identifier).toBe('XQI.c.0');
});

it('is offered where a query may name something', () => {
  const unnamed = { ...DAILY, columns: [] };
  expect([DAILY, TICKS, unnamed].map(takesIdentifier)).toEqual([true, true, false]);
});
