import { expect, it } from 'vitest';
import { DAILY, planOfPath } from '../../test/plan-of-path.ts';
import { namedIdentifiers } from './identifiers.ts';

it.each([
  ['Ticker=B', ['B']],
  ['Ticker.in=B,A,B', ['B', 'A']],
  ['Ticker.like=A*', []],
])('%s names the identifiers %j', (query, identifiers) => {
  expect(namedIdentifiers(planOfPath(`${DAILY}?${query}`))).toEqual(identifiers);
});
