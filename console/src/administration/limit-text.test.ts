import { describe, expect, it } from 'vitest';
import { bytesInputText, parseBytes, parseCount } from './limit-text';

describe('a limit of bytes', () => {
  it.each([
    ['0', 0],
    ['1500000', 1_500_000],
    ['1,500,000', 1_500_000],
    ['1.5 GB', 1_500_000_000],
    ['1.1gb', 1_100_000_000],
    ['12 bytes', 12],
    [' 2 TB ', 2_000_000_000_000],
  ])('reads %j', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  it.each(['', 'GB', '-1', '1.5', '1.5 bytes', '0.0001 kB', '1e9', '5 GiB', '99999 PB', '1 2'])(
    'refuses %j',
    (text) => {
      expect(parseBytes(text)).toBeNull();
    },
  );

  it.each([0, 1, 999, 1000, 1001, 1_500_000, 123_456_789, 2_500_000_000, Number.MAX_SAFE_INTEGER])(
    'is written so that %d reads back exactly',
    (bytes) => {
      expect(parseBytes(bytesInputText(bytes))).toBe(bytes);
    },
  );

  it('is written with the largest unit that fits', () => {
    expect(bytesInputText(1_500_000_000)).toBe('1.5 GB');
    expect(bytesInputText(500_000_000)).toBe('500 MB');
    expect(bytesInputText(123_456_789)).toBe('123456789');
  });
});

describe('a limit of requests', () => {
  it('is a whole number', () => {
    expect(parseCount('100,000')).toBe(100_000);
    expect(['', '1.5', '-1', 'many', '9'.repeat(20)].map(parseCount)).toEqual(Array(5).fill(null));
  });
});
