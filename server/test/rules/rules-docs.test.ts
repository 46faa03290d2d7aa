import { adjustTable, isAdjusted } from '@ticklake/market/adjustment.ts';
import { describe, expect, it } from 'vitest';
import { COMPUTATION_NAMES } from '../../src/catalog/derivation.ts';
import { docsTable } from '../docs-table.ts';

const CODE = /`([^`]+)`/;

describe('docs/rules', () => {
  it('leads from every computation to a page that names it', () => {
    const names = docsTable('rules/README.md', 'Rule', 'Computations').flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(names.toSorted()).toEqual(COMPUTATION_NAMES.toSorted());
  });

  it('restates a column by the end of its name', () => {
    const rows = docsTable('rules/adjusted-rows.md', 'Column ends with', 'Restated', 'Decimals');
    const columns = rows.map(([end]) => `Any${CODE.exec(end ?? '')?.[1]}`);
    const values = columns.map(() => Float64Array.of(1234.5678912));
    const table = adjustTable({ columns, rowCount: 1, values }, () => ({
      price: 0.3,
      volume: 0.7,
    }));
    rows.forEach(([, restated, decimals], i) => {
      const value = restated === 'times `PriceAdjFactor`' ? 1234.5678912 * 0.3 : 1234.5678912 / 0.7;
      expect(table.values[i]?.[0], columns[i]).toBe(Number(value.toFixed(Number(decimals))));
    });
    expect(['TotalTrades', 'PriceCount', 'MinSpread'].some(isAdjusted)).toBe(false);
  });
});
