import { expect, it } from 'vitest';
import { queryOfSearch } from './explorer-query';
import { hasHiddenProblem, moreText } from './more-text';

it('names everything of a query that is not in the line', () => {
  const search = { dataset: 'US1020', identifier: 'AVQX', from: '2026-01-02', to: '2026-02-02' };
  expect(moreText(queryOfSearch(search))).toBe('');
  const filters = ['ClosePrice.gt=1', 'Ticker.like=A*'];
  const more = { filters, sort: '-TradeDate', columns: 'Ticker', period: '2Y', version: '7' };
  expect(moreText(queryOfSearch({ ...search, ...more }))).toBe(
    '2 filters, sorted, 1 column, period 2Y, version 7',
  );
});

it('tells problems that cannot be seen from those in the line', () => {
  expect(hasHiddenProblem({ identifier: 'Enter an identifier', '': 'Refused' })).toBe(false);
  expect(hasHiddenProblem({ 'filter-0': 'Choose a column' })).toBe(true);
  expect(hasHiddenProblem({ period: 'Must be a number' })).toBe(true);
});
