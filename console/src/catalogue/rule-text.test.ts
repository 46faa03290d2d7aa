import { expect, it } from 'vitest';
import { adjustedGroups, intervalText } from './rule-text';

it('says once for all columns of a kind what adjustment does to them', () => {
  const groups = adjustedGroups([
    { name: 'OpenPrice', kind: 'price' },
    { name: 'Volume', kind: 'shares' },
    { name: 'ClosePrice', kind: 'price' },
  ]);
  expect(groups.map(({ names }) => names)).toEqual([['OpenPrice', 'ClosePrice'], ['Volume']]);
});

it('says what longer bars have, with the column that another one goes by', () => {
  expect(intervalText({ name: 'A', rule: 'sum', by: null })).toBe('the sum');
  expect(intervalText({ name: 'A', rule: 'weighted', by: 'Volume' })).toBe(
    'the average, weighted by Volume',
  );
});
