import { describe, expect, it } from 'vitest';
import {
  coverageText,
  firstDateOf,
  holdsAll,
  isScheduled,
  relativeText,
  ruleDatesText,
  sentenceCase,
} from './texts';

it.each([
  ['active', 'Active'],
  ['rolled_back', 'Rolled back'],
  ['OK (200)', 'OK (200)'],
  ['', ''],
])('writes %j as a label', (text, label) => {
  expect(sentenceCase(text)).toBe(label);
});

it.each([
  ['Nightly load', 'LOAD night', true],
  ['Nightly load', 'load daily', false],
  ['Nightly load', '', true],
])('%s holds the words "%s": %s', (text, search, isFound) => {
  expect(holdsAll(text, search)).toBe(isFound);
});

const NOW_MS = Date.parse('2026-11-21T02:30:00Z');

describe('relativeText', () => {
  it.each([
    ['2036-11-18T02:30:00Z', 'in 10 years'],
    ['2027-02-19T02:30:00Z', 'in 3 months'],
    ['2026-12-01T00:00:00Z', 'in 10 days'],
    ['2026-11-22T02:00:00Z', 'tomorrow'],
    ['2026-11-21T03:29:59Z', 'in 1 hour'],
    ['2026-11-21T03:10:00Z', 'in 40 minutes'],
    ['2026-11-21T02:29:10Z', '50 seconds ago'],
    ['2026-11-21T02:30:00Z', 'now'],
    ['2026-05-21T02:30:00Z', '6 months ago'],
  ])('tells %s by the nearest of the largest unit: %s', (time, text) => {
    expect(relativeText(time, NOW_MS)).toBe(text);
  });
});

it('names a day once and a span by its ends', () => {
  expect(coverageText('2024-01-02', '2024-01-02')).toBe('2024-01-02');
  expect(coverageText('2024-01-02', '2024-02-02')).toBe('2024-01-02 to 2024-02-02');
  expect(coverageText(null, null, 'No dates')).toBe('No dates');
});

it('finds the first day of several datasets, also where some have no dates', () => {
  const nowMs = Date.parse('2026-11-25T23:00:00Z');
  const of = (first_trade_date: string | null, last_trade_date: string | null) => ({
    ...{ first_trade_date, last_trade_date },
  });
  const datasets = [of('2024-02-01', '2026-11-24'), of(null, null), of('2023-01-01', '2026-11-25')];
  expect(firstDateOf([...datasets, of('2007-01-01', '2027-12-31')], nowMs)).toBe('2023-01-01');
  expect(firstDateOf([of(null, null)], nowMs)).toBeNull();
});

it('knows a date that is still to come', () => {
  const nowMs = Date.parse('2026-11-25T23:00:00Z');
  expect(isScheduled('2026-11-26', nowMs)).toBe(true);
  expect(isScheduled('2026-11-25', nowMs)).toBe(false);
  expect(isScheduled(null, nowMs)).toBe(false);
});

it('says in words that a rule has no first or no last date', () => {
  expect(ruleDatesText('1900-01-01', null)).toBe('all dates');
  expect(ruleDatesText('2024-01-02', null)).toBe('from 2024-01-02 on');
  expect(ruleDatesText('1900-01-01', '2024-02-02')).toBe('up to 2024-02-02');
  expect(ruleDatesText('2024-01-02', '2024-02-02')).toBe('2024-01-02 to 2024-02-02');
});
