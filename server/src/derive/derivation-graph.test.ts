import { describe, expect, it } from 'vitest';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { dependentsOf, derivationOrder } from './derivation-graph.ts';

function dataset(textId: string, ...inputs: string[]): Dataset {
  const derivation = inputs.length > 0 ? { computation: 'adjusted_rows', inputs } : null;
  return { textId, derivation } as Dataset;
}

describe('the order of derivation', () => {
  const datasets = [
    dataset('adjusted', 'bars', 'factors'),
    dataset('bars', 'ticks', 'daily'),
    dataset('daily', 'ticks'),
    dataset('factors'),
    dataset('ticks'),
  ];
  const catalog = {
    byTextId: (textId) => datasets.find((each) => each.textId === textId),
  } as Catalog;
  const orderOf = (chosen: readonly Dataset[]) =>
    derivationOrder(catalog, chosen).map(({ textId }) => textId);

  it('puts inputs before what is computed from them, and leaves out what is loaded', () => {
    expect(orderOf(datasets)).toEqual(['daily', 'bars', 'adjusted']);
  });

  it('has only the datasets that were asked for', () => {
    expect(orderOf(datasets.slice(0, 1))).toEqual(['adjusted']);
  });
});

describe('the dependents of datasets', () => {
  const catalog = {
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
  ])('of %j are %j', (given, expected) => {
    expect(dependentsOf(catalog, given).map(({ textId }) => textId)).toEqual(expected);
  });
});
