import fc from 'fast-check';
import { expect, it } from 'vitest';
import { valueReader } from './values.ts';

it('times keep every nanosecond, on any clock', () => {
  const read = valueReader('date-time');
  expect(read('1970-01-01T00:00:00Z')).toBe(0n);
  expect(read('2025-06-18T09:30:00.000000001-04:00')).toBe(1750253400000000001n);
  expect(read('2025-06-18T09:30:59.5-04:00')).toBe(1750253459500000000n);
  expect(read('2025-06-18T09:30:59-05:00')).toBe(1750257059000000000n);
  expect(read('1969-12-31T23:59:59.999999999Z')).toBe(-1n);
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 4n * 10n ** 18n }), (nanos) => {
      const seconds = nanos / 10n ** 9n - (nanos % 10n ** 9n < 0n ? 1n : 0n);
      const clock = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
      const fraction = String(nanos - seconds * 10n ** 9n).padStart(9, '0');
      expect(read(`${clock}.${fraction}Z`)).toBe(nanos);
    }),
  );
});

it('integers and decimals keep all their digits', () => {
  expect(valueReader('integer')('-9223372036854775808')).toBe(-(2n ** 63n));
  expect(valueReader('decimal')('12345678901234567890.123456789')).toBe(
    '12345678901234567890.123456789',
  );
  expect(valueReader('array of integer')('[9007199254740993,null,-1]')).toEqual([
    9007199254740993n,
    null,
    -1n,
  ]);
  expect(valueReader('array of integer')('[]')).toEqual([]);
});

it('other values are read by their type', () => {
  expect(valueReader('number')('0.0001')).toBe(0.0001);
  expect(valueReader('boolean')('true')).toBe(true);
  expect(valueReader('boolean')('false')).toBe(false);
  expect(valueReader('date')('2025-06-18')).toBe('2025-06-18');
  expect(valueReader('array of string')('["a\\"b",null]')).toEqual(['a"b', null]);
  expect(valueReader('array of number')('[1.5]')).toEqual([1.5]);
});

it.each([
  ['number', 'x'],
  ['integer', '1.5'],
  ['boolean', 'yes'],
  ['date-time', '2025-06-18'],
] as const)('a %s that is none, %j, is refused', (type, text) => {
  expect(() => valueReader(type)(text)).toThrow(SyntaxError);
});
