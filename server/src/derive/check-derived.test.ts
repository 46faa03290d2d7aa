import { expect, test } from 'vitest';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { batchOfRows, type CellValue } from '../engine/columns.ts';
import { RowComparison } from './check-derived.ts';

const columns = [
  { name: 'TradeDate', dataType: 'date', fractionDigits: 0 },
  { name: 'Ticker', dataType: 'string', fractionDigits: 0 },
  { name: 'Close', dataType: 'number', fractionDigits: 0 },
] as unknown as Column[];
const dataset = {
  columns,
  naturalOrder: ['TradeDate', 'Ticker'],
  timeZone: 'America/New_York',
} as unknown as Dataset;

/** In batches of two rows, so that both sides' batches end at different rows. */
async function* batches(rows: readonly (readonly CellValue[])[], size: number) {
  for (let i = 0; i < rows.length; i += size) yield batchOfRows(columns, rows.slice(i, i + size));
}

async function compared(
  computed: readonly (readonly CellValue[])[],
  published: readonly (readonly CellValue[])[],
) {
  const comparison = new RowComparison(dataset);
  await comparison.compare(batches(computed, 2), batches(published, 3));
  const { rowCount, differences } = comparison;
  return { rowCount, differences: Object.fromEntries(differences.map((d) => [d.what, d])) };
}

const rows = ['A', 'B', 'C', 'D', 'E'].map((ticker, i) => ['2026-11-18', ticker, i + 0.5]);

test('equal rows differ in nothing', async () => {
  expect(await compared(rows, rows)).toEqual({ rowCount: 5, differences: {} });
});

test('rows of one side alone are told by their keys, and the others are still compared', async () => {
  const computed = rows.filter(([, ticker]) => ticker !== 'B' && ticker !== 'E');
  const published = rows.filter(([, ticker]) => ticker !== 'A');
  const { rowCount, differences } = await compared(computed, published);
  expect(rowCount).toBe(2);
  expect(differences).toEqual({
    'rows that are not published': expect.objectContaining({ examples: ['2026-11-18 A'] }),
    'rows that are not computed': expect.objectContaining({
      rowCount: 2,
      examples: ['2026-11-18 B', '2026-11-18 E'],
    }),
  });
});

test('values that differ are counted by column, the first three with both values', async () => {
  const published = rows.map(([date, ticker, close]) => [
    date,
    ticker,
    ticker === 'A' ? null : close,
  ]);
  const computed = rows.map(([date, ticker, close]) => [
    date,
    ticker,
    ticker === 'B' ? close : Number(close) + 1,
  ]);
  const { differences } = await compared(computed as CellValue[][], published as CellValue[][]);
  expect(differences.Close).toEqual({
    what: 'Close',
    rowCount: 4,
    examples: [
      '2026-11-18 A: no value published, 1.5 computed',
      '2026-11-18 C: 2.5 published, 3.5 computed',
      '2026-11-18 D: 3.5 published, 4.5 computed',
    ],
  });
});
