import { expect, it } from 'vitest';
import { readRange } from './byte-range.ts';

it.each([
  [undefined, 'whole'],
  ['bytes=0-', { start: 0, end: 100 }],
  ['bytes=0-0', { start: 0, end: 1 }],
  ['BYTES=10-19', { start: 10, end: 20 }],
  ['bytes=90-1000', { start: 90, end: 100 }],
  ['bytes=-8', { start: 92, end: 100 }],
  ['bytes=-1000', { start: 0, end: 100 }],
  ['bytes=99-', { start: 99, end: 100 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=200-300', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  // Not valid, or more than this service does: the header is passed over.
  ['bytes=5-4', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
  ['bytes=-', 'whole'],
  ['rows=0-1', 'whole'],
  ['bytes=a-b', 'whole'],
  [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
])('the range %s of 100 bytes is read as RFC 9110 says', (header, expected) => {
  expect(readRange(header, 100)).toEqual(expected);
});
