import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { decodeIdentifierOrder, decodeRowGroups, encodeRowGroups } from './row-group-text.ts';

const boundsOf = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(fc.constant({ min: null, max: null }), fc.record({ min: value, max: value }));

const rowGroup = fc.record({
  rowCount: fc.nat(),
  byteCount: fc.maxSafeNat(),
  bounds: fc.record({
    ASID: boundsOf(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    Strike: boundsOf(fc.double({ noNaN: true })),
    Ticker: boundsOf(fc.string({ unit: anyCharacter })),
    TradeDate: boundsOf(fc.constantFrom('1900-01-01', '2199-12-31')),
  }),
});

/** JSON has no minus zero; as a bound it is the same number. */
const withoutMinusZero = (value: unknown) => JSON.parse(JSON.stringify(value, bigintAsText));
const bigintAsText = (_: string, value: unknown) =>
  typeof value === 'bigint' ? `${value}n` : Object.is(value, Infinity) ? 'Infinity' : value;

test('row groups read back as they were, to the last bit of 64-bit integers', () => {
  fc.assert(
    fc.property(fc.array(rowGroup), (rowGroups) => {
      const decoded = decodeRowGroups(encodeRowGroups(rowGroups));
      expect(withoutMinusZero(decoded)).toEqual(withoutMinusZero(rowGroups));
    }),
  );
});

test('bounds that are null in the first group keep the type they have in another', () => {
  const groups = [
    { rowCount: 1, byteCount: 1, bounds: { ASID: { min: null, max: null } } },
    { rowCount: 2, byteCount: 2, bounds: { ASID: { min: -1n, max: 2n ** 62n } } },
  ];
  expect(decodeRowGroups(encodeRowGroups(groups))).toEqual(groups);
});

test('row groups of an identifier order are read apart from the others', () => {
  const groups = [{ rowCount: 2, byteCount: 9, bounds: { ASID: { min: -1n, max: 2n ** 62n } } }];
  const order = [1, 2].map((rowCount) => ({ ...groups[0], rowCount })) as typeof groups;
  const text = encodeRowGroups(groups, order);
  expect(decodeRowGroups(text)).toEqual(groups);
  expect(decodeIdentifierOrder(text)).toEqual(order);
  expect(decodeIdentifierOrder(encodeRowGroups(groups))).toBeNull();
});

test('bounds without an end read back as they were', () => {
  const bounds = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  const groups = [{ rowCount: 1, byteCount: 1, bounds: { Strike: bounds } }];
  expect(decodeRowGroups(encodeRowGroups(groups))).toEqual(groups);
});
