import { describe, expect, it } from 'vitest';
import { type CoveredDay, daysAmiss, dayText, monthsOf, stateCounts } from './calendar-months';

const day = (date: string, state: CoveredDay['state'], rows: number | null = 0): CoveredDay => ({
  ...{ date, state, rows },
  identifiers: rows === null ? null : 2,
  version: 3,
});

describe('the months of a year', () => {
  it('have every day once, under its day of the week', () => {
    const months = monthsOf(2024);
    const dates = months.flatMap(({ weeks }) => weeks.flat().filter((date) => date !== null));
    expect(dates).toHaveLength(366);
    expect(new Set(dates).size).toBe(366);
    expect(months.every(({ weeks }) => weeks.every((week) => week.length === 7))).toBe(true);
    for (const { weeks } of months) {
      for (const week of weeks) {
        for (const [at, date] of week.entries()) {
          if (date !== null) expect(new Date(date).getUTCDay()).toBe((at + 1) % 7);
        }
      }
    }
    expect(months[1]).toMatchObject({ key: '2024-02', name: 'February 2024' });
  });

  it('begin on a Monday where the month does', () => {
    expect(monthsOf(2026)[5]?.weeks[0]?.[0]).toBe('2026-06-01');
  });
});

describe('the days of a dataset', () => {
  const days = [
    day('2026-01-02', 'complete', 1234),
    day('2026-01-03', 'no_trading_day'),
    day('2026-01-05', 'missing'),
    day('2026-01-06', 'complete', 7),
    day('2026-01-07', null, null),
  ];

  it('are counted by their states', () => {
    expect(stateCounts(days)).toEqual([
      { state: 'complete', count: 2 },
      { state: 'missing', count: 1 },
      { state: 'no_trading_day', count: 1 },
    ]);
    expect(daysAmiss(days).map(({ date }) => date)).toEqual(['2026-01-05']);
  });

  it('are told in words', () => {
    const text = (one: CoveredDay | undefined) => one && dayText(one);
    expect(text(days[0])).toBe('2026-01-02: complete, 1,234 rows of 2 identifiers, version 3');
    expect(text(days[2])).toBe('2026-01-05: missing');
    expect(text(days[4])).toBe('2026-01-07: not known, version 3');
  });
});
