import { expect, test } from 'vitest';
import {
  binary,
  decodeThrift,
  encodeThrift,
  int32,
  LIST,
  numberOf,
  STRUCT,
  type ThriftScalar,
  type ThriftStruct,
  withFields,
} from './thrift.ts';

/** Each type a footer may have, distances between fields on both sides of 15, and a long list. */
const EVERY_TYPE = Buffer.from(
  [
    '11', // field 1: true
    '12', // 2: false
    '13ff', // 3: a byte
    '14d00f', // 4: 16 bits
    '15ffffffff0f', // 5: 32 bits
    '16ffffffffffffffffff01', // 6: 64 bits
    '17182d4454fb210940', // 7: a double
    '1803616263', // 8: text
    `19f511${'02'.repeat(17)}`, // 9: a list of 17 integers
    '192101 02'.replace(' ', ''), // 10: a list of two booleans
    '1c150400', // 11: a struct
    '084e00', // 39: empty text
    '00',
  ].join(''),
  'hex',
);

test('a tree is written as the bytes that it was read from', () => {
  const tree = decodeThrift(EVERY_TYPE);
  expect([...tree.fields.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 39]);
  expect(encodeThrift(tree)).toEqual(EVERY_TYPE);
});

test.each([0, 1, -1, 63, 64, 300, 2 ** 31 - 1, -(2 ** 31)])('%i is written and read', (number) => {
  const bytes = encodeThrift({ type: STRUCT, fields: new Map([[1, int32(number)]]) });
  expect(numberOf(decodeThrift(bytes).fields.get(1) as ThriftScalar)).toBe(number);
});

test('fields are changed, added in order and taken away', () => {
  const before: ThriftStruct = {
    type: STRUCT,
    fields: new Map([
      [1, int32(1)],
      [9, binary('b')],
    ]),
  };
  const elements = [int32(1), int32(2)];
  const list = { type: LIST, elementType: 5, elements };
  const after = withFields(before, { 1: undefined, 4: list, 9: binary('c') });
  expect(encodeThrift(after).toString('hex')).toBe('492502045801630 0'.replace(' ', ''));
});

test('bytes that are cut off anywhere, or of another type, are refused', () => {
  for (let size = 0; size < EVERY_TYPE.length; size++) {
    expect(() => decodeThrift(EVERY_TYPE.subarray(0, size))).toThrow('cut off');
  }
  expect(() => decodeThrift(Buffer.from('1b00', 'hex'))).toThrow('unknown type 11');
});
