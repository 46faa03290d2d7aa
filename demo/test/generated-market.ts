/** A small demo market held in memory, and readings of its tables. */
import { resolve } from 'node:path';
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { loadCatalog } from 'ticklake/catalog/load-catalog.ts';
import { type ColumnBatch, type ColumnVector, takeRows } from 'ticklake/engine/columns.ts';
import { textReader } from 'ticklake/engine/gathered-columns.ts';
import { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import { demoFamilies } from '../src/demo-families.ts';
import type { DemoSize } from '../src/timeline.ts';

export const catalog = loadCatalog([resolve(import.meta.dirname, '../../datasets')]);

/** A Monday, so that the ticks lie on both sides of a weekend. */
export const AS_OF = '2026-10-19';

/** Large enough for every special case of the market. */
export const SMALL_SIZE: DemoSize = {
  dailyDays: 1400,
  minuteDays: 36,
  tickDays: 2,
  quoteBarDays: 3,
  activity: 0.08,
};

/** Small, and still with rows in every dataset. */
export const TINY_SIZE: DemoSize = {
  dailyDays: 160,
  minuteDays: 3,
  tickDays: 1,
  quoteBarDays: 1,
  activity: 0.02,
};

export type Cell = string | number | bigint | readonly string[] | null;

export interface Table {
  readonly dataset: Dataset;
  readonly batches: readonly ColumnBatch[];
  readonly rowCount: number;
}

/**
 * Every table of the market, by text id; or those that are `needed`, and what is generated along
 * with them.
 */
export function generateTables(
  seed: number,
  asOf: string,
  size: DemoSize,
  needed: readonly string[] | null = null,
  families = demoFamilies(seed, asOf, size),
): ReadonlyMap<string, Table> {
  const tables = new Map<string, Table>();
  for (const family of families) {
    if (needed !== null && !family.textIds.some((textId) => needed.includes(textId))) continue;
    const datasets = family.textIds.map((textId) => {
      const dataset = catalog.byTextId(textId);
      if (!dataset) throw new Error(`no dataset ${textId}`);
      return dataset;
    });
    const buffers = new RowBuffers(datasets);
    for (const _ of family.produce(buffers));
    for (const buffer of buffers.all()) {
      const { textId } = buffer.dataset;
      if (tables.has(textId)) throw new Error(`two families fill ${textId}`);
      const batches = buffer.take(true);
      const rowCount = batches.reduce((sum, batch) => sum + batch.rowCount, 0);
      tables.set(textId, { dataset: buffer.dataset, batches, rowCount });
    }
  }
  return tables;
}

/** The tables without the rows of other tickers. */
export function ofTickers(
  tables: ReadonlyMap<string, Table>,
  isKept: (ticker: string, textId: string) => boolean,
): ReadonlyMap<string, Table> {
  const entries = [...tables].map(([textId, table]): [string, Table] => {
    const at = table.dataset.columns.findIndex(
      ({ name, dataType }) => name === 'Ticker' && dataType === 'string',
    );
    if (at < 0) return [textId, table];
    const batches = table.batches.map((batch) => {
      const tickerAt = textReader(batch.columns[at] as ColumnVector);
      const rows = Array.from({ length: batch.rowCount }, (_, row) => row);
      return takeRows(
        batch,
        rows.filter((row) => isKept(`${tickerAt(row)}`, textId)),
      );
    });
    const rowCount = batches.reduce((sum, batch) => sum + batch.rowCount, 0);
    return [textId, { ...table, batches, rowCount }];
  });
  return new Map(entries);
}

function cellAt(vector: ColumnVector, row: number): Cell {
  if ('nulls' in vector && vector.nulls?.[row] === 1) return null;
  return vector.values[row] as Cell;
}

/** All values of a column; dates are days since 1970, times UTC nanoseconds. */
export function columnOf(table: Table, name: string): Cell[] {
  const index = table.dataset.columns.findIndex((column) => column.name === name);
  if (index < 0) throw new Error(`${table.dataset.textId} has no column ${name}`);
  const cells: Cell[] = [];
  for (const { rowCount, columns } of table.batches)
    for (let row = 0; row < rowCount; row++)
      cells.push(cellAt(columns[index] as ColumnVector, row));
  return cells;
}

export type Row = Readonly<Record<string, Cell>>;

/** The rows of a table whose cells equal those of `where`. */
export function rowsWhere(table: Table, where: Row = {}): Row[] {
  const names = table.dataset.columns.map(({ name }) => name);
  const conditions = Object.entries(where).map(([name, value]) => [names.indexOf(name), value]);
  const rows: Row[] = [];
  for (const { rowCount, columns } of table.batches)
    for (let i = 0; i < rowCount; i++) {
      const isOther = ([c, value]: (typeof conditions)[number]) =>
        cellAt(columns[c as number] as ColumnVector, i) !== value;
      if (conditions.some(isOther)) continue;
      // One by one: most of the time goes here, and objects of entries take three times as long.
      const row: Record<string, Cell> = {};
      for (let c = 0; c < names.length; c++) {
        row[names[c] as string] = cellAt(columns[c] as ColumnVector, i);
      }
      rows.push(row);
    }
  return rows;
}
