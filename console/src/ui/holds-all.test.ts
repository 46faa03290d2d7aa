import { expect, it } from 'vitest';
import { holdsAll } from './holds-all';

it.each([
  ['Nightly load', 'LOAD night', true],
  ['Nightly load', 'load daily', false],
  ['Nightly load', '', true],
])('%s holds the words "%s": %s', (text, search, isFound) => {
  expect(holdsAll(text, search)).toBe(isFound);
});
