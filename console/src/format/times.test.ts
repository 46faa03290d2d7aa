import { describe, expect, it } from 'vitest';
import { relativeText } from './times';

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
