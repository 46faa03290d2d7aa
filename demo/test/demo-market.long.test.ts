import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { firstFamilies } from '../src/demo-families.ts';
import { AS_OF, generateTables, rowsWhere, type Table, TINY_SIZE } from './generated-market.ts';

const SIZE = { ...TINY_SIZE, dailyDays: 60, minuteDays: 2, activity: 0.005 };

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

describe('the demo market', () => {
  test('is the same whenever it is generated, and another one from another seed', () => {
    const first = digest(generateTables(7, AS_OF, SIZE));
    expect(digest(generateTables(7, AS_OF, SIZE))).toEqual(first);
    const market = ['eq_taq', 'eq_daily_ohlc', 'opt_tanq', 'fut_taq', 'eq_adj_factors_basic'];
    const other = digest(generateTables(8, AS_OF, SIZE, market));
    for (const textId of market) expect(other[textId]).not.toBe(first[textId]);
  });

  test('takes only a trading day as its last one', () => {
    expect(() => generateTables(1, '2026-10-18', SIZE)).toThrow('not a trading day');
  });

  test('begins with daily prices that are those of the whole market', () => {
    const daily = ['eq_daily_ohlc', 'eq_daily_ohlc_ind_std'];
    const first = generateTables(7, AS_OF, SIZE, daily, firstFamilies(7, AS_OF, SIZE));
    const all = generateTables(7, AS_OF, SIZE, daily);
    for (const textId of daily) {
      const texts = (tables: typeof all) =>
        rowsWhere(tables.get(textId) as Table).map((row) => Object.values(row).join());
      const whole = texts(all);
      const begun = texts(first);
      expect(begun.length).toBeGreaterThan(0);
      expect(whole.slice(whole.indexOf(begun[0] as string)).slice(0, begun.length)).toEqual(begun);
    }
  });
});
