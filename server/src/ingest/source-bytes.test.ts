import { expect, it } from 'vitest';
import { HEAD_BYTES, kindOf } from './source-bytes.ts';

const LONG = 'x'.repeat(HEAD_BYTES);

it.each([
  ['"Trade Date",Open\r2024-03-13,1\r', 'text whose lines end with CR alone'],
  ['Date\tOpen\r\r2024-03-13\t1', 'text whose lines end with CR alone'],
  ['Date,Open\r\n2024-03-13,1\r\n', 'CSV'],
  [`"Trade\rDate",${LONG}\r\n`, 'CSV'],
  [`"Trade\r""Date""",${LONG}\r\n`, 'CSV'],
  [`"${LONG.slice(9)}\rxx`, 'CSV'],
])('a file that begins with %j is %s', (text, kind) => {
  expect(kindOf(Buffer.from(text)).replace(/ \(.*/, '')).toBe(kind);
});
