import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { isMissingFunction } from './postgres-errors.ts';

const failure = (code: string) => Object.assign(new Error('no'), { code });

it('tells functions that a database does not offer from databases that fail', () => {
  for (const code of ['42501', '42883', '0A000']) {
    expect(isMissingFunction(failure(code))).toBe(true);
  }
  expect(isMissingFunction(new StoreUnavailableError('no', 'no', failure('0A000')))).toBe(true);
  expect(isMissingFunction(failure('57P01'))).toBe(false);
});
