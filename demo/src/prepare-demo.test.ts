import { describe, expect, it } from 'vitest';
import { lastCompletedTradingDay } from './prepare-demo.ts';

describe('lastCompletedTradingDay', () => {
  it.each([
    ['2025-06-20T16:00:00Z', '2025-06-18', 'past the holiday of the day before'],
    ['2025-06-23T16:00:00Z', '2025-06-20', 'past the weekend'],
    ['2025-06-25T03:59:59Z', '2025-06-23', 'while it is still the evening before in New York'],
    ['2025-06-25T04:00:00Z', '2025-06-24', 'from midnight in New York on'],
  ])('is at %s the day %s: %s', (now, date) => {
    expect(lastCompletedTradingDay(Date.parse(now))).toBe(date);
  });
});
