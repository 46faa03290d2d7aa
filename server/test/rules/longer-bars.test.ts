/** The examples of longer bars in the documents, computed again. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Dataset } from '../../src/catalog/dataset.ts';
import type { Interval } from '../../src/catalog/interval.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { batchOfRows, type CellValue, type ColumnVector } from '../../src/engine/columns.ts';
import { barClock } from '../../src/intervals/bar-clock.ts';
import { OpenBars } from '../../src/intervals/open-bars.ts';
import { docsTable } from '../docs-table.ts';

const PAGE = 'rules/longer-bars.md';
const DATE = '2026-11-18';
const catalog = loadCatalog([join(import.meta.dirname, '../../../datasets')]);
const dataset = catalog.byTextId('eq_trades_1min') as Dataset;

function momentOf(clock: string): bigint {
  const local = Temporal.PlainDateTime.from(`${DATE}T${clock}`);
  return local.toZonedDateTime(dataset.timeZone).epochNanoseconds;
}

const NAMES = dataset.columns
  .map(({ name }) => name)
  .filter((name) => !['TradeDate', 'Ticker', 'ASID'].includes(name));

function storedRows(): CellValue[][] {
  return docsTable(PAGE, 'BarDateTime').map((cells) => {
    const told = new Map(NAMES.map((name, i) => [name, cells[i] as string]));
    return dataset.columns.map(({ name, dataType }) => {
      if (name === 'TradeDate') return DATE;
      if (name === 'BarDateTime') return momentOf(told.get(name) as string);
      if (name === 'Ticker') return 'AVQX';
      const text = told.get(name);
      if (text === undefined) return null;
      return dataType === 'integer' ? BigInt(text) : Number(text);
    });
  });
}

function longerBars(interval: Interval): string[][] {
  const { intervals: rules, columns } = dataset;
  if (rules === null) throw new Error('no bars');
  const clock = barClock(dataset, rules, interval, { firstDate: null, session: null });
  const bars = new OpenBars({
    dataset,
    rules,
    clock,
    columns,
    asked: { interval, firstDate: null },
  });
  const batch = batchOfRows(columns, storedRows());
  const places = new Map(columns.map(({ name }, c) => [name, c]));
  const vectors = (name: string) => batch.columns[places.get(name) as number] as ColumnVector;
  const rows = [...bars.add({ rowCount: batch.rowCount, vectors }), ...bars.end()];
  return rows.map((row) =>
    NAMES.map((name) => {
      const value = row[places.get(name) as number] as CellValue;
      if (name !== 'BarDateTime') return String(value);
      const local = new Temporal.ZonedDateTime(value as bigint, dataset.timeZone);
      return local.toPlainTime().toString().slice(0, 5);
    }),
  );
}

it.each<Interval>(['1h', '1d'])('the example of %s is what the product computes', (interval) => {
  expect(docsTable(PAGE, `\`${interval}\``)).toEqual(longerBars(interval));
});
