import { describe, expect, it } from 'vitest';
import { dateText, isWholeDate } from './date-field';

describe('a date that is typed', () => {
  it.each([
    ['20261118', '2026-11-18'],
    ['2026/11/18', '2026-11-18'],
    [' 2026-11-18 ', '2026-11-18'],
    ['2026-1', '2026-1'],
    ['yesterday', 'yesterday'],
    ['', ''],
  ])('is told as the service tells dates: %s', (typed, text) => {
    expect(dateText(typed)).toBe(text);
  });

  it('is whole with its last digit, or when there is none', () => {
    expect(['', '2026-11-1', '2026-11-18', 'x'].map(isWholeDate)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
