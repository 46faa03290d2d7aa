import { expect, it } from 'vitest';
import { monthSoFar, namedPeriods, periodLabel } from './usage-period';

it('knows a period among those with names, and none among all others', () => {
  const named = namedPeriods(Date.parse('2026-03-15T12:00:00Z'));
  expect(periodLabel({}, named)).toBe('This month');
  expect(periodLabel({ from: '2026-02-01', to: '2026-02-28' }, named)).toBe('Last month');
  expect(periodLabel({ from: '2026-02-01', to: '2026-02-27' }, named)).toBe('');
  expect(periodLabel({ from: '2026-02-01' }, named)).toBe('');
});

it('is the month so far where no days are chosen', () => {
  const now = Date.parse('2026-03-15T12:00:00Z');
  expect(monthSoFar(now)).toEqual({ from: '2026-03-01', to: '2026-03-15' });
});
