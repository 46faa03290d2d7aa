import { describe, expect, it } from 'vitest';
import { cellText, decimalsOf, isNumeric, withEqualPrices } from './cells';

const PRICES = ['187.4', '187.57', '-3', null, '1e-7', '187.5725'];

describe('numbers in the table', () => {
  it('have the same digits after the point in one column', () => {
    const decimals = decimalsOf('number', PRICES);
    const texts = PRICES.map((cell) => cellText(cell, { decimals, hasSeparators: false }));
    expect(texts).toEqual(['187.4000', '187.5700', '-3.0000', '', '1e-7', '187.5725']);
  });

  it('have the same digits in all columns of prices', () => {
    const names = ['OpenPrice', 'ClosePrice', 'Volume', 'VWAP'];
    expect(withEqualPrices(names, [2, 4, 0, 6])).toEqual([4, 4, 0, 6]);
    expect(withEqualPrices(['Volume'], [0])).toEqual([0]);
  });

  it('keep every digit that they have', () => {
    const format = { decimals: 2, hasSeparators: true };
    expect(cellText('1234567.12345', format)).toBe('1,234,567.12345');
    expect(decimalsOf('number', ['0.123456789012'])).toBe(9);
    expect(cellText('0.123456789012', { decimals: 6, hasSeparators: false })).toBe(
      '0.123456789012',
    );
  });

  it.each([
    ['0', '0'],
    ['999', '999'],
    ['1000', '1,000'],
    ['-1234567', '-1,234,567'],
  ])('have thousands separators where one chooses them: %s', (cell, text) => {
    expect(cellText(cell, { decimals: 0, hasSeparators: true })).toBe(text);
  });

  it('are those of numeric columns alone', () => {
    expect(decimalsOf('integer', ['1.5'])).toBe(0);
    expect(decimalsOf('string', ['1.5'])).toBe(0);
    expect((['number', 'integer', 'decimal', 'string', null] as const).map(isNumeric)).toEqual([
      ...[true, true, true, false, false],
    ]);
    expect(cellText('0263494', null)).toBe('0263494');
  });
});

describe('texts in the table', () => {
  it('tell the empty text from a missing one', () => {
    expect([cellText('', null), cellText(null, null)]).toEqual(['""', '']);
  });
});
