import { expect, it } from 'vitest';
import { missingText } from './read-page';

it.each([
  ['2 of 3: BRK%2FA, NOPE', 'No rows of 2 of 3 identifiers: BRK/A, NOPE'],
  ['0 of 3', null],
  [null, null],
])('missing identifiers are told in words: %s', (header, text) => {
  expect(missingText(header)).toBe(text);
});
