import { expect, it } from 'vitest';
import { missingOf } from './told.ts';

it.each([
  ['2 of 3: BRK%2FA, NOPE', { count: 2, of: 3, names: ['BRK/A', 'NOPE'] }],
  ['0 of 3', { count: 0, of: 3, names: [] }],
  ['1 of 2: BRK%zFA', { count: 1, of: 2, names: ['BRK%zFA'] }],
  ['some', null],
  [null, null],
])('the header of missing identifiers is read, whatever became of it: %s', (text, missing) => {
  expect(missingOf(text)).toEqual(missing);
});
