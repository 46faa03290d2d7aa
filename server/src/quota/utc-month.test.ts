import { expect, it } from 'vitest';
import { daysOf, utcMonth } from './quota-excess.ts';

it.each([
  ['2025-06-01T00:00:00Z', '2025-06-01', '2025-06-30', '2025-07-01T00:00:00Z'],
  ['2025-06-30T23:59:59.999Z', '2025-06-01', '2025-06-30', '2025-07-01T00:00:00Z'],
  ['2025-12-31T23:59:59.999Z', '2025-12-01', '2025-12-31', '2026-01-01T00:00:00Z'],
  ['2028-02-29T12:00:00Z', '2028-02-01', '2028-02-29', '2028-03-01T00:00:00Z'],
])('the month of %s is that of UTC', (moment, firstDay, lastDay, end) => {
  const month = utcMonth(Date.parse(moment));
  expect(daysOf(month)).toEqual({ firstDay, lastDay });
  expect(month.endMs).toBe(Date.parse(end));
});
