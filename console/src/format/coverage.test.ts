import { expect, it } from 'vitest';
import {
  coverageText,
  firstDateOf,
  isScheduled,
  ruleDatesText,
  ruleEndText,
  ruleStartText,
} from './coverage';

it('names a day once and a span by its ends', () => {
  expect(coverageText('2024-01-02', '2024-01-02')).toBe('2024-01-02');
  expect(coverageText('2024-01-02', '2024-02-02')).toBe('2024-01-02 to 2024-02-02');
  expect(coverageText(null, null, 'No dates')).toBe('No dates');
});

it('finds the first day of several datasets, also where some have no dates', () => {
  const dates = ['2024-02-01', null, '2023-01-01'];
  expect(firstDateOf(dates.map((date) => ({ first_trade_date: date })))).toBe('2023-01-01');
  expect(firstDateOf([{ first_trade_date: null }])).toBeNull();
});

it('knows a date that is still to come', () => {
  const nowMs = Date.parse('2026-11-25T23:00:00Z');
  expect(isScheduled('2026-11-26', nowMs)).toBe(true);
  expect(isScheduled('2026-11-25', nowMs)).toBe(false);
  expect(isScheduled(null, nowMs)).toBe(false);
});

it('says in words that a rule has no first or no last date', () => {
  expect([ruleStartText('1900-01-01'), ruleStartText('2024-01-02')]).toEqual([
    'No start date',
    '2024-01-02',
  ]);
  expect([ruleEndText(null), ruleEndText('2024-02-02')]).toEqual(['No end date', '2024-02-02']);
  expect(ruleDatesText('1900-01-01', null)).toBe('all dates');
  expect(ruleDatesText('2024-01-02', null)).toBe('from 2024-01-02 on');
  expect(ruleDatesText('1900-01-01', '2024-02-02')).toBe('up to 2024-02-02');
  expect(ruleDatesText('2024-01-02', '2024-02-02')).toBe('2024-01-02 to 2024-02-02');
});
