import { expect, it } from 'vitest';
import { expectLawsOfOptions } from './option-laws.ts';

it('the analytics of 4,000 contracts keep the laws of options', () => {
  expect(expectLawsOfOptions(4000)).toBeGreaterThan(4000);
});
