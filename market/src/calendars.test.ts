import { expect, it } from 'vitest';
import { calendarOfZone, tradingDayAfter, tradingDayFrom } from './calendars.ts';

it.each([
  ['XNYS', '2025-07-07'],
  ['weekdays', '2025-07-04'],
  ['every_day', '2025-07-04'],
] as const)('after the day before Independence Day, %s opens on %s', (name, day) => {
  expect(tradingDayAfter(name, '2025-07-03')).toBe(day);
});

it.each([
  ['XNYS', '2025-07-07'],
  ['weekdays', '2025-07-07'],
  ['every_day', '2025-07-05'],
] as const)('from a Saturday, %s opens on %s', (name, day) => {
  expect(tradingDayFrom(name, '2025-07-05')).toBe(day);
});

it('takes the calendar of the clock, and Monday to Friday where none is known', () => {
  expect(calendarOfZone('America/Chicago')).toBe('XNYS');
  expect(calendarOfZone('Asia/Tokyo')).toBe('weekdays');
});
