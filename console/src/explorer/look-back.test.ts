import { expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY, TICKS } from '../../test/fixtures/shapes';
import { requestOf } from './explorer-request';
import { lookBackText, periodOver } from './look-back';

const TODAY = '2026-11-26';

it.each([
  ['no day', '', '', null],
  ['a first day within it', '2022-01-03', '', null],
  ['an earlier first day', '2015-01-02', '', '12Y'],
  ['days within it', '2021-06-01', '2025-06-01', null],
  ['more days', '2016-11-16', '2026-11-25', '11Y'],
  ['a last day alone', '', '2012-12-31', '200Y'],
])('the period over %s is what the service needs to be told', (_, first, last, expected) => {
  expect(periodOver(DAILY, first, last, TODAY)).toBe(expected);
});

it('no period is told where the day is in the path', () => {
  expect(periodOver(TICKS, '2001-01-01', '', TODAY)).toBeNull();
});

it.each([
  ['of the service', {}, 'the last 5 years'],
  ['that was asked for', { period: '1Y' }, 'the last year'],
  ['in days', { period: '30D' }, 'the last 30 days'],
  ['beside dates', { from: '2026-01-02' }, ''],
])('the window %s is told in words', (_, change, expected) => {
  const { parameters } = requestOf({ ...EMPTY_QUERY, ...change }, DAILY);
  expect(lookBackText(parameters, DAILY)).toBe(expected);
});
