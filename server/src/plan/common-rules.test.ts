import { expect, it } from 'vitest';
import { commonRules } from './common-rules.ts';

const EVER = { startDate: '1900-01-01', endDate: null, universe: [] };

it.each([
  [['A', 'B'], ['B', 'C'], ['B']],
  [['A', 'B'], null, ['A', 'B']],
  [null, ['B', 'C'], ['B', 'C']],
  [null, null, null],
])('rules for the columns %j and %j have %j in common', (one, other, common) => {
  const rules = commonRules([{ ...EVER, columns: one }], [{ ...EVER, columns: other }]);
  expect(rules).toEqual([{ ...EVER, columns: common }]);
});
