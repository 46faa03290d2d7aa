import { describe, expect, it } from 'vitest';
import { priceText, scaleDigits } from './chart-legend';

describe('the digits of prices', () => {
  it('are, on a scale, those that most prices have', () => {
    expect(scaleDigits([])).toBe(2);
    expect(scaleDigits([187, 188])).toBe(2);
    expect(scaleDigits([187.41, 187.42, 187.43, 187.4251])).toBe(2);
    expect(scaleDigits([1.0845, 1.08455, 1.085, 1.08465])).toBe(5);
    expect(scaleDigits([100 + 0.1 + 0.2])).toBe(2);
  });

  it('never hide any of a price', () => {
    expect([187.4, 187.4251, 100 + 0.1 + 0.2].map((price) => priceText(price))).toEqual([
      '187.40',
      '187.4251',
      '100.30',
    ]);
    expect(priceText(1.085, 5)).toBe('1.08500');
  });
});
