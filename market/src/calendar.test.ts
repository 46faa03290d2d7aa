import { describe, expect, it } from 'vitest';
import {
  closures,
  isHalfDay,
  isTradingDay,
  nextTradingDay,
  previousTradingDay,
  tradingDaysEndingAt,
} from './calendar.ts';

/** The closed weekdays and the half days of each year, as `MM-DD`. */
const KNOWN_YEARS: readonly (readonly [year: number, closed: string, half: string])[] = [
  [2007, '01-01 01-02 01-15 02-19 04-06 05-28 07-04 09-03 11-22 12-25', '07-03 11-23 12-24'],
  [2008, '01-01 01-21 02-18 03-21 05-26 07-04 09-01 11-27 12-25', '07-03 11-28 12-24'],
  [2009, '01-01 01-19 02-16 04-10 05-25 07-03 09-07 11-26 12-25', '11-27 12-24'],
  [2010, '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24', '11-26'],
  [2011, '01-17 02-21 04-22 05-30 07-04 09-05 11-24 12-26', '11-25'],
  [2012, '01-02 01-16 02-20 04-06 05-28 07-04 09-03 10-29 10-30 11-22 12-25', '07-03 11-23 12-24'],
  [2013, '01-01 01-21 02-18 03-29 05-27 07-04 09-02 11-28 12-25', '07-03 11-29 12-24'],
  [2014, '01-01 01-20 02-17 04-18 05-26 07-04 09-01 11-27 12-25', '07-03 11-28 12-24'],
  [2015, '01-01 01-19 02-16 04-03 05-25 07-03 09-07 11-26 12-25', '11-27 12-24'],
  [2016, '01-01 01-18 02-15 03-25 05-30 07-04 09-05 11-24 12-26', '11-25'],
  [2017, '01-02 01-16 02-20 04-14 05-29 07-04 09-04 11-23 12-25', '07-03 11-24'],
  [2018, '01-01 01-15 02-19 03-30 05-28 07-04 09-03 11-22 12-05 12-25', '07-03 11-23 12-24'],
  [2019, '01-01 01-21 02-18 04-19 05-27 07-04 09-02 11-28 12-25', '07-03 11-29 12-24'],
  [2020, '01-01 01-20 02-17 04-10 05-25 07-03 09-07 11-26 12-25', '11-27 12-24'],
  [2021, '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24', '11-26'],
  [2022, '01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26', '11-25'],
  [2023, '01-02 01-16 02-20 04-07 05-29 06-19 07-04 09-04 11-23 12-25', '07-03 11-24'],
  [2024, '01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25', '07-03 11-29 12-24'],
  [2025, '01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25', '07-03 11-28 12-24'],
  [2026, '01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25', '11-27 12-24'],
  [2027, '01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24', '11-26'],
  [2028, '01-17 02-21 04-14 05-29 06-19 07-04 09-04 11-23 12-25', '07-03 11-24'],
];

function daysOfYear(year: number): string[] {
  const days = [];
  for (let ms = Date.UTC(year, 0, 1); ms < Date.UTC(year + 1, 0, 1); ms += 86_400_000)
    days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}

describe('calendar', () => {
  it.each(KNOWN_YEARS)('has exactly the closures and half days of %d', (year, closed, half) => {
    const datesOf = (days: string) => days.split(' ').map((day) => `${year}-${day}`);
    expect(closures(year, year).map(({ date }) => date)).toEqual(datesOf(closed));
    expect(daysOfYear(year).filter(isHalfDay)).toEqual(datesOf(half));
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

it('has Martin Luther King, Jr. Day since 1998 alone', () => {
  expect(isTradingDay('1997-01-20')).toBe(true);
  expect(isTradingDay('1998-01-19')).toBe(false);
});

it("is open on the Mondays of Presidents' Day and Memorial Day before 1971", () => {
  expect(
    ['1962-02-19', '1962-05-28', '1970-02-16', '1970-05-25'].filter(isTradingDay),
  ).toHaveLength(4);
  expect(['1971-02-15', '1971-05-31'].filter(isTradingDay)).toEqual([]);
});
