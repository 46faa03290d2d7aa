import { expect, test } from 'vitest';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { derivationOrder } from './derivation-order.ts';

function derived(textId: string, ...inputs: string[]): Dataset {
  const derivation = inputs.length > 0 ? { computation: 'adjusted_rows', inputs } : null;
  return { textId, derivation } as Dataset;
}

const datasets = [
  derived('adjusted', 'bars', 'factors'),
  derived('bars', 'ticks', 'daily'),
  derived('daily', 'ticks'),
  derived('factors'),
  derived('ticks'),
];
const catalog = {
  byTextId: (textId) => datasets.find((dataset) => dataset.textId === textId),
} as Catalog;
const orderOf = (chosen: readonly Dataset[]) =>
  derivationOrder(catalog, chosen).map(({ textId }) => textId);

test('inputs come before what is computed from them, and what is loaded does not come', () => {
  expect(orderOf(datasets)).toEqual(['daily', 'bars', 'adjusted']);
});

test('only the datasets that were asked for come', () => {
  expect(orderOf(datasets.slice(0, 1))).toEqual(['adjusted']);
});
