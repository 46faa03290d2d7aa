/** The example of bars that are put together to rows of dates, computed again. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { BARS_BY_DATE } from '../../src/derive/bars-by-date.ts';
import { batchOfRows, type CellValue, type ColumnBatch, cellAt } from '../../src/engine/columns.ts';
import { docsTable } from '../docs-table.ts';

const PAGE = 'rules/futures.md';
const catalog = loadCatalog([join(import.meta.dirname, '../../../datasets')]);
const bars = catalog.byTextId('fut_trades_1min') as Dataset;
const output = catalog.byTextId('fut_daily') as Dataset;
const DATES = { start: '2026-11-18', end: '2026-11-19' };

/** Bars by the column names of the example; what it leaves out is null. */
function stored(ticker: string, date: string, names: readonly string[]): CellValue[][] {
  const header = ['BarDateTime', 'OpenPrice', 'HighPrice', 'LowPrice', 'ClosePrice'];
  const shown = [...header, 'VolumeWeightPrice', 'TotalQuantity', 'TotalTrades'];
  const keys = new Map([
    ['TradeDate', date],
    ['Ticker', ticker],
    ['BaseSymbol', 'ES'],
  ]);
  return docsTable(PAGE, ...shown).map((cells) =>
    names.map((name) => {
      const key = keys.get(name);
      if (key !== undefined) return key;
      const text = cells[shown.indexOf(name)];
      if (text === undefined) return null;
      return bars.columnByName.get(name)?.dataType === 'integer' ? BigInt(text) : Number(text);
    }),
  );
}

async function rowsOf(batches: (names: readonly string[]) => ColumnBatch[]) {
  const read = async function* (_: Dataset, names: readonly string[]) {
    yield* batches(names);
  };
  const input = { output, inputs: [bars] as const, dates: DATES, read, warn: () => {} };
  const rows: Record<string, CellValue>[] = [];
  for await (const batch of (await BARS_BY_DATE.prepare(input)).rows()) {
    for (let row = 0; row < batch.rowCount; row++) {
      const cells = batch.columns.map((vector) => cellAt(vector, row));
      rows.push(Object.fromEntries(output.columns.map(({ name }, c) => [name, cells[c] ?? null])));
    }
  }
  return rows;
}

function batchOf(names: readonly string[], rows: CellValue[][]): ColumnBatch {
  const columns = names.map((name) => bars.columnByName.get(name) as (typeof bars.columns)[number]);
  return batchOfRows(columns, rows);
}

it('the example of a date of bars is what the product computes', async () => {
  const [row] = await rowsOf((names) => [batchOf(names, stored('ESZ6', DATES.start, names))]);
  const computed = docsTable(PAGE, 'Date of bars').map(([name = '']) => [name, `${row?.[name]}`]);
  expect(docsTable(PAGE, 'Date of bars')).toEqual(computed);
});

it('each contract and date has a row of its own bars, however batches cut them', async () => {
  const days = [
    ['ESH7', DATES.start],
    ['ESZ6', DATES.start],
    ['ESZ6', DATES.end],
  ] as const;
  const whole = await rowsOf((names) => [
    batchOf(
      names,
      days.flatMap(([ticker, date]) => stored(ticker, date, names)),
    ),
  ]);
  const cut = await rowsOf((names) =>
    days.flatMap(([ticker, date]) =>
      stored(ticker, date, names).map((row) => batchOf(names, [row])),
    ),
  );
  expect(whole.map(({ Ticker, TotalQuantity }) => [Ticker, TotalQuantity])).toEqual([
    ['ESH7', 10n],
    ['ESZ6', 10n],
    ['ESZ6', 10n],
  ]);
  expect(cut).toEqual(whole);
});
