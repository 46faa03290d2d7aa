import { expect, it } from 'vitest';
import { identifierInUpperCase } from './forgiven-case';

const HINT = "Identifiers are case-sensitive; there are rows for 'AVQX'";
const EMPTY = { rowCount: 0, end: 'reached', hint: HINT } as const;

it('is asked for where the service has rows for it', () => {
  expect(identifierInUpperCase('avqx', EMPTY)).toBe('AVQX');
  expect(identifierInUpperCase('dlmr, avqx', EMPTY)).toBe('DLMR, AVQX');
});

it('is left as it was typed where there are rows, or no such hint', () => {
  expect(identifierInUpperCase('avqx', { ...EMPTY, rowCount: 1 })).toBeNull();
  expect(identifierInUpperCase('avqx', { ...EMPTY, end: 'open' })).toBeNull();
  expect(identifierInUpperCase('avqx', { ...EMPTY, hint: null })).toBeNull();
  expect(identifierInUpperCase('dlmr', EMPTY)).toBeNull();
  expect(identifierInUpperCase('AVQX', EMPTY)).toBeNull();
});
