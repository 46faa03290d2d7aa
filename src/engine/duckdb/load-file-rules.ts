/**
 * What a value owes to the rest of its row and to its place in the dataset, beyond its column's type:
 * the times that a definition lists under `same_day` lie on the row's date, and identifiers are text
 * that a request can name.
 */
import type { Column, Dataset, TimeZone } from '../../catalog/dataset.ts';
import { offsetChanges } from '../../time/market-time.ts';
import { identifierTextColumns } from '../engine.ts';
import { utcOffsetSql } from './load-file-offsets.ts';

const NANOS = 1_000_000_000n;
const DAY_SECONDS = 86_400;

/** One rule of one column. */
export interface RowRule {
  /** SQL over the columns `value0`, `value1`...: false where the rule is broken, null or true else. */
  readonly holds: string;
  /** What the value has to be; `texts` are those of the row. */
  readonly accepts: (texts: readonly (string | null)[]) => string;
}

const nanosSql = (seconds: number) => `${BigInt(seconds) * NANOS}`;

/**
 * Whether a time lies on a date by the market's clock. Most times do so whatever the offset of that
 * day is, which two comparisons tell; the others need their offset.
 */
function isOnDateSql(zone: TimeZone, time: string, date: string): string {
  const offsets = offsetChanges(zone).map(({ offsetSeconds }) => offsetSeconds);
  const nanos = `epoch_ns(${time})`;
  const sinceMidnight = `(${nanos} - 86400000000000 * (${date} - DATE '1970-01-01'))`;
  const first = nanosSql(-Math.min(...offsets));
  const last = nanosSql(DAY_SECONDS - Math.max(...offsets));
  const local = `${sinceMidnight} + 1000000000::BIGINT * (${utcOffsetSql(zone, nanos)})`;
  return `CASE WHEN ${sinceMidnight} >= ${first} AND ${sinceMidnight} < ${last} THEN true
    ELSE ${local} >= 0 AND ${local} < ${nanosSql(DAY_SECONDS)} END`;
}

function sameDayRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { dateColumn, sameDayColumns, timeZone } = dataset;
  if (!sameDayColumns.includes(columns[c]?.name ?? '')) return null;
  const d = columns.findIndex(({ name }) => name === dateColumn);
  if (d < 0) return null;
  return {
    holds: isOnDateSql(timeZone, `value${c}`, `value${d}`),
    accepts: (texts) =>
      `a time on ${texts[d]}, the row's ${dateColumn}, by the clock of ${timeZone}`,
  };
}

const UNPRINTABLE = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}';
const EDGE = `[^${UNPRINTABLE}\\p{Zs}]`;
const IDENTIFIER = `${EDGE}([^${UNPRINTABLE}]*${EDGE})?`;

function identifierRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { name } = columns[c] as Column;
  if (!identifierTextColumns(dataset).has(name)) return null;
  return {
    holds: `regexp_full_match(value${c}, '${IDENTIFIER}')`,
    accepts: (texts) =>
      texts[c] === ''
        ? 'an identifier; without quotes the field is null'
        : 'an identifier without spaces around it and without control or invisible characters',
  };
}

/** The rule that the values of column `c` have to keep; null: none. */
export function rowRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  return sameDayRule(dataset, columns, c) ?? identifierRule(dataset, columns, c);
}
