/** Files that widen the sizes and volumes of datasets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHIPPED_DEFINITIONS } from '../base/installation.ts';
import { typeText } from './column-types.ts';
import type { Column } from './dataset.ts';
import { loadCatalog } from './load-catalog.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-widening-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function catalogWith(...texts: string[]) {
  for (const [i, text] of texts.entries()) writeFileSync(join(folder, `${i}.yaml`), text);
  return loadCatalog([SHIPPED_DEFINITIONS, folder]);
}

const fileOf = (textId: string, precision = 25, scale = 6) =>
  `widens: ${textId}\nprecision: ${precision}\nscale: ${scale}\n`;

const typesOf = (columns: readonly Column[] = []) =>
  Object.fromEntries(columns.map((column) => [column.name, typeText(column)]));

const shipped = loadCatalog([SHIPPED_DEFINITIONS]);

describe('a widened dataset', () => {
  it('has decimals in place of the integers of sizes and volumes alone', () => {
    const widened = catalogWith(fileOf('eq_daily_ohlc')).byTextId('eq_daily_ohlc');
    expect(typesOf(widened?.columns)).toEqual({
      ...typesOf(shipped.byTextId('eq_daily_ohlc')?.columns),
      ...{ MarketHoursVolume: 'decimal(25, 6)', MarketHoursFinraVolume: 'decimal(25, 6)' },
      ...{ DailyVolume: 'decimal(25, 6)', DailyFinraVolume: 'decimal(25, 6)' },
    });
  });

  it('has those that are derived from it widened, and none that it is derived from', () => {
    const catalog = catalogWith(fileOf('fut_trades'));
    const changed = catalog.datasets.filter(({ datasetId, columns }) => {
      return shipped.byId(datasetId)?.columns !== columns;
    });
    expect(changed.map(({ textId }) => textId).sort()).toEqual([
      'fut_daily',
      'fut_trades',
      'fut_trades_1min',
    ]);
    const daily = typesOf(catalog.byTextId('fut_daily')?.columns);
    expect(daily).toMatchObject({ OpenInterest: 'decimal(25, 6)', TotalTrades: 'integer' });
  });

  it('has room for the digits of each file that reaches it', () => {
    const catalog = catalogWith(fileOf('fut_taq', 28, 9), fileOf('fut_trades', 26, 6));
    expect(typesOf(catalog.byTextId('fut_trades')?.columns).Quantity).toBe('decimal(29, 9)');
    expect(typesOf(catalog.byTextId('fut_taq')?.columns).Quantity).toBe('decimal(28, 9)');
  });
});

it.each([
  [fileOf('eq_tak'), '0.yaml:1: widens: there is no dataset eq_tak'],
  [fileOf('eq_announce'), '0.yaml:1: widens: eq_announce has no sizes or volumes'],
  [fileOf('eq_taq', 20, 6), '0.yaml:3: scale must leave 19 digits of precision'],
  [fileOf('eq_taq', 39, 6), '0.yaml:2: precision must be a whole number from 1 to 38, not 39'],
  ['widens: eq_taq\n', '0.yaml:1: precision is missing'],
  [`${fileOf('eq_taq')}other: 1\n`, '0.yaml:4: other is not a field; legal fields: widens'],
])('is refused with its place: %j', (text, fault) => {
  expect(() => catalogWith(text)).toThrow(fault);
});

it('is refused where files together need more digits than there are', () => {
  const load = () => catalogWith(fileOf('fut_taq', 38, 1), fileOf('fut_trades', 38, 19));
  expect(load).toThrow('fut_trades: Quantity would need more than 38 digits');
});
