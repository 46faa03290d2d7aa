import { expect, it } from 'vitest';
import { requireShortLinks } from './whole-files.ts';

it('links to a request may take so many bytes together, which the refusal names', () => {
  const queryString = 'q'.repeat(16_384);
  requireShortLinks(2048, queryString);
  expect(() => requireShortLinks(2049, queryString)).toThrow(
    'The links to 2049 files would take 33570816 bytes, more than 33554432: ' +
      'ask for fewer dates or identifiers',
  );
});
