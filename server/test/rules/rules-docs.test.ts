import { adjustTable, isAdjusted } from '@ticklake/market/adjustment.ts';
import { describe, expect, it } from 'vitest';
import { COMPUTATION_NAMES } from '../../src/catalog/derivation.ts';
import { docsTable, docsText } from '../docs-table.ts';

const CODE = /`([^`]+)`/;
const LINK = /\]\(([^)#]+)\)/;

describe('docs/rules', () => {
  it('leads from every computation to a page that names it', () => {
    const rows = docsTable('rules/README.md', 'Computation', 'Rule').map(([name, rule]) => [
      CODE.exec(name ?? '')?.[1] ?? '',
      LINK.exec(rule ?? '')?.[1] ?? '',
    ]);
    expect(rows.map(([name]) => name)).toEqual(COMPUTATION_NAMES);
    for (const [name, page] of rows) {
      if (name !== 'adjusted_rows') expect(docsText(`rules/${page}`)).toContain(`\`${name}\``);
    }
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
