/** SQL for minute and daily bars in natural order, for any dataset of such rows. */
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import type { Listing } from './listings.ts';

interface ValueRule {
  readonly name: RegExp;
  /** SQL of a value of hash `h`, base price `price` and listing number `i`. */
  readonly sql: string;
}

/** Bars without a trade have no trade columns: one of ten, and the same ten for all of a row. */
const OPTIONAL = /Trade(Price|Size|TimeOffset)|FinraVolumeWeight|VolumeWeightPrice/;

const RULES: readonly ValueRule[] = [
  { name: /TimeOffset$/, sql: 'round((h % 60000000000)::DOUBLE / 1e9, 9)' },
  { name: /Spread$/, sql: 'round((h % 9)::DOUBLE / 100, 2)' },
  { name: /Relative$/, sql: 'round((h % 20001)::DOUBLE / 10000 - 1, 6)' },
  { name: /TradeToMid/, sql: 'round((h % 2001)::DOUBLE / 1000 - 1, 6)' },
  { name: /Weight/, sql: 'round(price * (1 + (h % 4000000)::DOUBLE / 1e9), 6)' },
  { name: /Price$|Bid$|Ask$/, sql: 'round(price * (1 + (h % 400)::DOUBLE / 1e5), 2)' },
];
const NUMBER = 'round((h % 1000000)::DOUBLE / 1000, 3)';
const SIZE = '(100 * (h % 300))::BIGINT';

function valueSql(column: Column, number: number): string {
  const rule = RULES.find(({ name }) => name.test(column.name));
  const plain = column.dataType === 'integer' ? SIZE : (rule?.sql ?? NUMBER);
  const sql = plain.replaceAll(/\bh\b/g, `hash(i, t, ${number})`);
  return OPTIONAL.test(column.name)
    ? `CASE WHEN hash(i, t) % 10 = 0 THEN NULL ELSE ${sql} END`
    : sql;
}

const KEY_COLUMNS: Readonly<Record<string, string>> = {
  TradeDate: 'day',
  Ticker: 'ticker',
  ASID: 'asid',
  BarDateTime: 'bar_time',
};

function columnsSql(dataset: Dataset): string {
  return dataset.columns
    .map((column, c) => {
      const key = KEY_COLUMNS[column.name];
      const sql = key ?? (column.dataType === 'string' ? `'value'` : valueSql(column, c));
      return `${sql} AS "${column.name}"`;
    })
    .join(',\n      ');
}

function listingSql(listings: readonly Listing[]): string {
  const rows = listings.map(
    ({ ticker, asid, basePrice }, i) => `('${ticker}', ${asid}, ${basePrice}::DOUBLE, ${i})`,
  );
  return `listing(ticker, asid, price, i) AS (VALUES ${rows.join(', ')})`;
}

function daysSql(days: readonly string[]): string {
  return `day(day) AS (SELECT unnest([${days.map((day) => `DATE '${day}'`).join(', ')}]))`;
}

/** One bar for each minute of the regular session. */
export function minuteBarsSql(
  dataset: Dataset,
  listings: readonly Listing[],
  days: readonly string[],
): string {
  return `
    WITH ${listingSql(listings)}, ${daysSql(days)},
    bar AS (SELECT *, minute + 1000 * epoch(day)::BIGINT AS t,
        make_timestamp_ns(epoch_ns(day::TIMESTAMP_NS) + (570 + minute) * 60000000000) AS bar_time
      FROM day, listing, range(390) AS minutes(minute))
    SELECT ${columnsSql(dataset)} FROM bar ORDER BY day, ticker, bar_time`;
}

export function dailyBarsSql(
  dataset: Dataset,
  listings: readonly Listing[],
  days: readonly string[],
): string {
  return `
    WITH ${listingSql(listings)}, ${daysSql(days)},
    bar AS (SELECT *, epoch(day)::BIGINT AS t FROM day, listing)
    SELECT ${columnsSql(dataset)} FROM bar ORDER BY day, ticker`;
}
