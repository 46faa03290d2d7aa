import { describe, expect, it } from 'vitest';
import { formatPeriod, parsePeriod, shiftByPeriod } from './literals.ts';

describe('parsePeriod', () => {
  it.each(['5Y', '1W', '30D', '9999D', '10Y'])('reads %s', (text) => {
    const period = parsePeriod(text);
    expect(period && formatPeriod(period)).toBe(text);
  });

  it.each(['', 'Y', '5', '0Y', '05Y', '10000D', '5y', '5M', '-5Y', '5 Y', '5.5Y', '5YY', '5Y\n'])(
    'does not read %j',
    (text) => {
      expect(parsePeriod(text)).toBeNull();
    },
  );
});

describe('shiftByPeriod', () => {
  it.each([
    ['2026-11-18', '5Y', 1, '2031-11-18'],
    ['2026-11-18', '5Y', -1, '2021-11-18'],
    ['2024-02-29', '1Y', 1, '2025-02-28'],
    ['2024-02-29', '1Y', -1, '2023-02-28'],
    ['2024-02-29', '4Y', 1, '2028-02-29'],
    ['2000-02-29', '100Y', -1, '1900-02-28'],
    ['2000-02-29', '400Y', 1, '2400-02-29'],
    ['2023-02-28', '1Y', 1, '2024-02-28'],
    ['2026-11-18', '2W', 1, '2026-12-02'],
    ['2026-03-01', '1D', -1, '2026-02-28'],
    ['2026-12-31', '1D', 1, '2027-01-01'],
    ['2026-11-18', '9999Y', 1, '9999-12-31'],
    ['2026-11-18', '9999Y', -1, '0001-01-01'],
    ['2026-11-18', '9999W', 1, '2218-07-08'],
    ['1900-01-01', '9999W', -1, '1708-05-14'],
  ] as const)('moves %s by %s times %i to %s', (date, text, sign, expected) => {
    const period = parsePeriod(text);
    expect(period && shiftByPeriod(date, period, sign)).toBe(expected);
  });
});
