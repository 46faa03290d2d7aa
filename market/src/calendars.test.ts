import { expect, it } from 'vitest';
import {
  calendarOfZone,
  halfDaysBetween,
  irregularDaysBetween,
  isTradingDayOf,
  productDaysBetween,
  tradingDayAfter,
  tradingDayFrom,
} from './calendars.ts';

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

it('names half days between two dates, also those that became known later', () => {
  expect(halfDaysBetween('XNYS', '2025-07-03', '2025-11-28')).toEqual(['2025-07-03', '2025-11-28']);
  expect(halfDaysBetween('weekdays', '2025-01-01', '2025-12-31')).toEqual([]);
  const changed = {
    name: 'XNYS',
    days: { '2025-07-03': 'open', '2025-07-07': 'half_day' },
  } as const;
  expect(halfDaysBetween(changed, '2025-07-01', '2025-07-31')).toEqual(['2025-07-07']);
});

it('names days on which trading is not as on a weekday, also those that became known later', () => {
  const [financial] = productDaysBetween('CME', '2022-01-01', '2023-12-31');
  expect(financial?.days).toEqual(['2023-04-07']);
  expect(financial?.roots).toContain('ES');
  const mourning = { name: 'CME', days: { '2023-04-07': 'closed' } } as const;
  expect(productDaysBetween(mourning, '2022-01-01', '2023-12-31')[0]?.days).toEqual([]);
  expect(productDaysBetween('XNYS', '2022-01-01', '2023-12-31')).toEqual([]);
  expect(irregularDaysBetween('XNYS', '2025-06-19', '2025-09-01')).toEqual([
    ...['2025-06-19', '2025-07-04', '2025-09-01'],
  ]);
  const days = { '2025-07-04': 'half_day', '2025-07-05': 'open', '2025-07-07': 'closed' } as const;
  const changed = { name: 'XNYS', days } as const;
  expect(irregularDaysBetween(changed, '2025-07-01', '2025-07-31')).toEqual([
    ...['2025-07-05', '2025-07-07'],
  ]);
  expect(irregularDaysBetween('every_day', '2025-07-04', '2025-07-06')).toEqual([
    ...['2025-07-05', '2025-07-06'],
  ]);
});

it('takes the calendar of the clock, and Monday to Friday where none is known', () => {
  expect(calendarOfZone('America/New_York')).toBe('XNYS');
  expect(calendarOfZone('America/Chicago')).toBe('CME');
  expect(calendarOfZone('Asia/Tokyo')).toBe('weekdays');
});

// By pandas_market_calendars 5.5.0; the Good Fridays of 2024 and 2025 were closed.
it.each([
  ['2012-10-29', true, true],
  ['2018-12-05', true, true],
  ['2025-01-09', true, true],
  ['2025-01-20', false, false],
  ['2024-11-28', false, false],
  ['2021-12-31', true, true],
  ['2015-04-03', false, true],
  ['2023-04-07', false, true],
  ['2024-03-29', false, false],
  ['2025-04-18', false, false],
  ['2026-04-03', false, true],
  ['2023-04-08', false, false],
])(
  'on %s crude oil has a session of its own: %s, and the S&P 500 and Bitcoin: %s',
  (date, ofOil, ofOthers) => {
    const sessions = ['CL', 'ES', 'BTC', 'MET'].map((root) => isTradingDayOf('CME', date, root));
    expect(sessions).toEqual([ofOil, ofOthers, ofOthers, ofOthers]);
    expect(isTradingDayOf('CME', date)).toBe(ofOil);
  },
);
