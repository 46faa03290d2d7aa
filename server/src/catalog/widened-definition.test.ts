/** Definitions that are widened: their columns change, and no other character. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SHIPPED_DEFINITIONS } from '../base/installation.ts';
import { readDefinition } from './definition-file.ts';
import { definitionPaths, loadCatalog } from './load-catalog.ts';
import { narrowColumns, widenedDefinition, withDerived } from './widened-definition.ts';

const DIGITS = { precision: 25, scale: 6 };

const SHIPPED = definitionPaths(SHIPPED_DEFINITIONS).map((path) => [
  path.split('/').at(-1) as string,
]);

it.each(SHIPPED)('is legal and differs in types alone: %s', (file) => {
  const text = readFileSync(join(SHIPPED_DEFINITIONS, file), 'utf8');
  const { dataset } = readDefinition({ file, text }, []) ?? {};
  if (!dataset) throw new Error(`${file} is not legal`);
  const columns = narrowColumns(dataset, DIGITS);
  const widened = widenedDefinition(text, columns, DIGITS);
  const faults: string[] = [];
  const read = readDefinition({ file, text: widened }, faults)?.dataset;
  expect(faults).toEqual([]);
  expect(read && narrowColumns(read, DIGITS)).toEqual([]);
  expect(widened.split('\n    precision: 25\n    scale: 6\n')).toHaveLength(columns.length + 1);
  const back = widened
    .replaceAll('\n    precision: 25\n    scale: 6\n', '\n')
    .replaceAll('type: decimal', 'type: integer');
  expect(back).toBe(text);
});

const COLUMN = { name: 'Size', dataType: 'integer', description: '', fractionDigits: 0 } as const;

it.each([
  [
    'columns:\n  - { name: Size, type: integer } # shares\n',
    'columns:\n  - { name: Size, type: decimal, precision: 25, scale: 6 } # shares\n',
  ],
  [
    '{"columns": [{"name": "Size", "type": "integer"}]}',
    '{"columns": [{"name": "Size", "type": "decimal", "precision": 25, "scale": 6}]}',
  ],
  [
    'columns:\n  - name: Size\n    type: decimal\n    precision: 22\n    scale: 3\n',
    'columns:\n  - name: Size\n    type: decimal\n    precision: 25\n    scale: 6\n',
  ],
])('keeps the form in which a definition is written: %j', (text, widened) => {
  expect(widenedDefinition(text, [COLUMN], DIGITS)).toBe(widened);
});

it('reaches all that is derived, and nothing that it is derived from', () => {
  const catalog = loadCatalog([SHIPPED_DEFINITIONS]);
  const trades = catalog.byTextId('fut_trades');
  const found = withDerived(catalog, trades ? [trades] : []).map(({ textId }) => textId);
  expect(found.sort()).toEqual(['fut_daily', 'fut_trades', 'fut_trades_1min']);
});
