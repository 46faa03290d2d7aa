import { describe, expect, test } from 'vitest';
import { keyOfDate, spanOfKey, unitOfKey } from './partition-key.ts';

describe('partition keys', () => {
  test.each([
    ['2026-11-18', '2026-11-18', '2026-11-18'],
    ['2024-02', '2024-02-01', '2024-02-29'],
    ['2023-02', '2023-02-01', '2023-02-28'],
    ['2026-12', '2026-12-01', '2026-12-31'],
    ['2026', '2026-01-01', '2026-12-31'],
    ['all', '0001-01-01', '9999-12-31'],
  ])('the partition %s holds the dates from %s to %s', (key, start, end) => {
    expect(spanOfKey(key)).toEqual({ start, end });
  });

  test.each([
    ['day', '2026-11-18'],
    ['month', '2026-11'],
    ['year', '2026'],
    ['whole', 'all'],
  ] as const)('by %s, 2026-11-18 lies in the partition "%s"', (unit, key) => {
    expect(keyOfDate(unit, '2026-11-18')).toBe(key);
    expect(unitOfKey(key)).toBe(unit);
  });
});
