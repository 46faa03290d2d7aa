import { expect, it } from 'vitest';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { dependentsOf } from './dependents.ts';

const dataset = (textId: string, ...inputs: string[]) =>
  ({ textId, derivation: inputs.length === 0 ? null : { inputs } }) as unknown as Dataset;

const CATALOG = {
  datasets: [
    dataset('weekly', 'daily'),
    dataset('daily', 'ticks', 'factors'),
    dataset('ticks'),
    dataset('factors'),
    dataset('bars', 'ticks'),
    dataset('others', 'other_ticks'),
  ],
} as unknown as Catalog;

it.each([
  [['ticks'], ['weekly', 'daily', 'bars']],
  [['factors'], ['weekly', 'daily']],
  [
    ['ticks', 'bars'],
    ['weekly', 'daily'],
  ],
  [['weekly'], []],
  [[], []],
])('what comes from %j is %j', (given, expected) => {
  expect(dependentsOf(CATALOG, given).map(({ textId }) => textId)).toEqual(expected);
});
