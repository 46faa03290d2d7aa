import { expect, it } from 'vitest';
import { vendorsByRows } from './current-parts.ts';

it('names the vendors of most rows first, and those of equally many by name', () => {
  const partitions = [
    { vendors: ['Beta', 'Zenith'], rowCount: 5 },
    { vendors: ['Acme'], rowCount: 5 },
    { vendors: ['Zenith'], rowCount: 1 },
    { vendors: [], rowCount: 100 },
  ];
  expect(vendorsByRows(partitions)).toEqual(['Zenith', 'Acme', 'Beta']);
  expect(vendorsByRows(partitions.toReversed())).toEqual(['Zenith', 'Acme', 'Beta']);
  expect(vendorsByRows([])).toEqual([]);
});
