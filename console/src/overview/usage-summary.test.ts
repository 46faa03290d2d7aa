import type { UsageOfDay } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import {
  axisTicks,
  busiest,
  byDay,
  daysOfMonth,
  limitState,
  limitStateText,
  nextMonthStart,
} from './usage-summary';

function usage(
  day: string,
  dataset: string | null,
  keyId: number | null,
  requests: number,
  bytes: number,
): UsageOfDay {
  return {
    day,
    dataset_id: dataset,
    key_id: keyId,
    requests,
    data_scanned: bytes,
    data_returned: bytes / 10,
  };
}

const ROWS = [
  usage('2026-11-02', 'US1', 1, 3, 100),
  usage('2026-11-02', 'US2', 2, 1, 5000),
  usage('2026-11-05', 'US1', null, 4, 200),
  usage('2026-11-05', null, 1, 2, 0),
];

describe('the days of a month', () => {
  it('are all of them, also in February of a leap year', () => {
    expect(daysOfMonth('2026-11-01')).toHaveLength(30);
    expect(daysOfMonth('2028-02-10').at(-1)).toBe('2028-02-29');
    expect(daysOfMonth('2026-02-10').at(-1)).toBe('2026-02-28');
  });

  it('have the sums of everything used on them, and zero where nothing was', () => {
    const days = byDay(ROWS, daysOfMonth('2026-11-01'));
    expect(days[0]).toEqual({ day: '2026-11-01', requests: 0, data_scanned: 0, data_returned: 0 });
    expect(days[1]).toMatchObject({ requests: 4, data_scanned: 5100, data_returned: 510 });
    expect(days[4]).toMatchObject({ requests: 6, data_scanned: 200 });
  });
});

describe('the busiest', () => {
  it('come first by what is measured, with their share of everything', () => {
    expect(busiest(ROWS, ({ dataset_id }) => dataset_id, 'requests', 2)).toEqual([
      { key: 'US1', amount: 7, share: 0.7 },
      { key: null, amount: 2, share: 0.2 },
    ]);
    const [first] = busiest(ROWS, ({ dataset_id }) => dataset_id, 'data_scanned', 2);
    expect(first?.key).toBe('US2');
  });

  it('leave out what has none of it', () => {
    const keys = busiest(ROWS, ({ dataset_id }) => dataset_id, 'data_scanned', 10);
    expect(keys.map(({ key }) => key)).toEqual(['US2', 'US1']);
  });
});

describe('the next month', () => {
  it('begins at midnight UTC on the first, also after December', () => {
    expect(nextMonthStart('2026-11-30')).toBe('2026-12-01T00:00:00.000Z');
    expect(nextMonthStart('2026-12-05')).toBe('2027-01-01T00:00:00.000Z');
  });
});

describe('the ticks of an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [5, [0, 2, 4, 6]],
    [87, [0, 50, 100]],
    [4000, [0, 1000, 2000, 3000, 4000]],
  ])('of %d are round and reach it', (max, ticks) => {
    expect(axisTicks(max)).toEqual(ticks);
  });

  it('are few, begin at nothing and reach the largest bar, whatever its size', () => {
    for (let max = 1; max < 1e15; max *= 3.7) {
      const ticks = axisTicks(max);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.at(-1)! / max).toBeLessThan(2.6);
    }
  });
});

function textOf(used: number, limit: number | null): string {
  return limitStateText(limitState(used, limit));
}

describe('the state of a limit', () => {
  it('says that there is none, however much was used', () => {
    expect(textOf(10 ** 15, null)).toBe('No limit');
  });

  it('is reached at the limit itself and beyond, as the service refuses from there on', () => {
    expect(limitState(99, 100).kind).toBe('near');
    expect(limitState(100, 100)).toEqual({ kind: 'reached', fraction: 1 });
    expect(limitState(250, 100)).toEqual({ kind: 'reached', fraction: 1 });
  });

  it('is reached from the start where the limit is nothing', () => {
    expect(limitState(0, 0).kind).toBe('reached');
  });

  it('is near from four fifths on', () => {
    expect(limitState(79, 100).kind).toBe('within');
    expect(textOf(80, 100)).toBe('80% used, near the limit');
  });

  it('never rounds to nothing or to everything', () => {
    expect(textOf(0, 100)).toBe('Nothing used');
    expect(textOf(1, 1000)).toBe('Less than 1% used');
    expect(textOf(999_999, 1_000_000)).toBe('99% used, near the limit');
  });
});
