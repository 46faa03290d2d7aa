import { expect, it } from 'vitest';
import { planOfPath } from '../../test/plan-of-path.ts';
import { batchOfRows, type CellValue } from './columns.ts';
import { OnlyValues } from './only-values.ts';

it('puts the values that conditions name where they belong, in batches of any length', () => {
  const path = 'us-equity/eq-taq/2026-11-18/AAPL?columns=Ticker,Price,TradeDate,Quantity';
  const only = new OnlyValues(planOfPath(`${path}&Quantity=100&Price.ge=0`));
  expect(only.stored.map(({ name }) => name)).toEqual(['Price']);
  for (const prices of [[1, 2], [3], [4, 5, 6]]) {
    const rows: CellValue[][] = prices.map((price) => [price]);
    const { rowCount, columns } = only.complete(batchOfRows(only.stored, rows));
    expect(rowCount).toBe(prices.length);
    const days = Date.parse('2026-11-18') / 86_400_000;
    for (const [i, price] of prices.entries()) {
      expect(columns.map(({ values }) => values[i])).toEqual(['AAPL', price, days, 100n]);
    }
  }
});

it('reads the numbers of a condition, because zero has two', () => {
  const only = new OnlyValues(planOfPath('us-equity/eq-taq/2026-11-18/AAPL?columns=Price&Price=0'));
  expect(only.stored.map(({ name }) => name)).toEqual(['Price']);
});
