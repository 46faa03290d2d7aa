import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { daysOfDate } from '../../src/engine/columns.ts';
import {
  AS_OF,
  type Cell,
  catalog,
  columnOf,
  generateTables,
  SMALL_SIZE,
  type Table,
  TINY_SIZE,
} from './generated-market.ts';

let tables: ReadonlyMap<string, Table>;
beforeAll(() => {
  tables = generateTables(1, AS_OF, SMALL_SIZE);
}, 120_000);

function digest(generated: ReadonlyMap<string, Table>): Record<string, string> {
  const entries = [...generated].map(([textId, { batches }]) => {
    const hash = createHash('sha256');
    for (const column of batches.flatMap(({ columns }) => columns))
      if ('nulls' in column) {
        hash.update(column.values);
        hash.update(column.nulls ?? '');
      } else hash.update(JSON.stringify(column.values));
    return [textId, hash.digest('hex')];
  });
  return Object.fromEntries(entries);
}

function compare(a: Cell, b: Cell): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

describe('the demo market', () => {
  test('has rows in every dataset of the catalogue', () => {
    const filled = [...tables].filter(([, { rowCount }]) => rowCount > 0).map(([textId]) => textId);
    expect(filled.sort()).toEqual(catalog.datasets.map(({ textId }) => textId).sort());
    expect(filled).toHaveLength(42);
  });

  test('comes in natural order', () => {
    for (const [textId, table] of tables) {
      const keys = table.dataset.naturalOrder.map((name) => columnOf(table, name));
      for (let row = 1; row < table.rowCount; row++) {
        let order = 0;
        for (const values of keys) order ||= compare(values[row - 1] as Cell, values[row] as Cell);
        if (order > 0) expect.fail(`${textId} row ${row} comes before the row in front of it`);
      }
    }
  });

  test('gives every column values of its type', () => {
    const isOf: Record<string, (value: Cell) => boolean> = {
      string: (value) => typeof value === 'string',
      integer: (value) => typeof value === 'bigint',
      'date-time': (value) => typeof value === 'bigint' && value > 0n,
      number: (value) => Number.isFinite(value),
      date: (value) => Number.isInteger(value) && (value as number) > daysOfDate('2006-12-31'),
      'array of string': (value) =>
        Array.isArray(value) && value.every((v) => typeof v === 'string'),
    };
    for (const [textId, table] of tables)
      for (const [c, { name, dataType }] of table.dataset.columns.entries()) {
        for (const batch of table.batches) expect(batch.columns[c]?.type).toBe(dataType);
        const bad = columnOf(table, name).filter((v) => v !== null && !isOf[dataType]?.(v));
        expect(bad.slice(0, 3), `${textId}.${name}`).toEqual([]);
      }
  });

  test('never ends after its last trade date', () => {
    for (const [textId, table] of tables) {
      if (!table.dataset.columnByName.has('TradeDate')) continue;
      const last = columnOf(table, 'TradeDate').at(-1);
      expect(last, textId).toBeLessThanOrEqual(daysOfDate(AS_OF));
    }
  });

  test('is the same whenever it is generated, and another one from another seed', () => {
    const first = digest(generateTables(7, AS_OF, TINY_SIZE));
    expect(digest(generateTables(7, AS_OF, TINY_SIZE))).toEqual(first);
    const other = digest(generateTables(8, AS_OF, TINY_SIZE));
    const market = ['eq_taq', 'eq_daily_ohlc', 'opt_tanq', 'fut_taq', 'eq_adj_factors_basic'];
    for (const textId of market) expect(other[textId]).not.toBe(first[textId]);
  });

  test('takes only a trading day as its last one', () => {
    expect(() => generateTables(1, '2026-10-18', TINY_SIZE)).toThrow('not a trading day');
  });
});
