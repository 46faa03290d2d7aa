import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  closures,
  isHalfDay,
  isTradingDay,
  nextTradingDay,
  previousTradingDay,
  tradingDaysEndingAt,
} from './calendar.ts';

const RULES = new URL('../../../shared/spec/reference-rules.md', import.meta.url);

function tableOfRules(): { year: number; closed: string[]; half: string[] }[] {
  return [
    ...readFileSync(RULES, 'utf8').matchAll(/^\| (\d{4}) \| ([\d -]+) \| ([\d -]+) \|$/gm),
  ].map(([, year, closed, half]) => ({
    year: Number(year),
    closed: (closed as string).split(' ').map((day) => `${year}-${day}`),
    half: (half as string).split(' ').map((day) => `${year}-${day}`),
  }));
}

function daysOfYear(year: number): string[] {
  const days = [];
  for (let ms = Date.UTC(year, 0, 1); ms < Date.UTC(year + 1, 0, 1); ms += 86_400_000)
    days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}

describe('calendar', () => {
  it.skipIf(!existsSync(RULES))('has exactly the closures and half days of 2007 to 2028', () => {
    const years = tableOfRules();
    expect(years.length).toBe(22);
    for (const { year, closed, half } of years) {
      expect(closures(year, year).map(({ date }) => date)).toEqual(closed);
      expect(daysOfYear(year).filter(isHalfDay)).toEqual(half);
    }
  });

  it('names the holiday or the reason of each closure', () => {
    expect(closures(2025, 2025).map(({ holiday }) => holiday)).toEqual([
      "New Year's Day",
      'Day of Mourning for Jimmy Carter',
      'Martin Luther King, Jr. Day',
      "Presidents' Day",
      'Good Friday',
      'Memorial Day',
      'Juneteenth',
      'Independence Day',
      'Labor Day',
      'Thanksgiving Day',
      'Christmas Day',
    ]);
  });

  it('keeps a Saturday New Year out of the year before', () => {
    expect(isTradingDay('2021-12-31')).toBe(true);
    expect(closures(2022, 2022)[0]).toEqual({
      date: '2022-01-17',
      holiday: 'Martin Luther King, Jr. Day',
    });
  });

  it('steps over weekends and closures', () => {
    expect(nextTradingDay('2024-03-28')).toBe('2024-04-01');
    expect(previousTradingDay('2012-10-31')).toBe('2012-10-26');
    expect(tradingDaysEndingAt('2024-01-01', 3)).toEqual([
      '2023-12-27',
      '2023-12-28',
      '2023-12-29',
    ]);
    expect(tradingDaysEndingAt('2023-12-29', 1)).toEqual(['2023-12-29']);
  });

  it('holds between 250 and 253 trading days in every year to 2040', () => {
    for (let year = 2007; year <= 2040; year++) {
      const count = daysOfYear(year).filter(isTradingDay).length;
      expect(count).toBeGreaterThanOrEqual(year === 2012 ? 250 : 249);
      expect(count).toBeLessThanOrEqual(253);
    }
  });
});
