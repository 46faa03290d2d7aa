/**
 * Rules between a value, the rest of its row and its place in the dataset, beyond its column's type:
 * the times that a definition lists under `same_day` lie on the row's date, and identifiers are text
 * that a request can name.
 */
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { acceptedIdentifier, acceptedOnDate } from '../accepted-values.ts';
import { IDENTIFIER_PATTERN } from '../identifier-text.ts';
import { identifierTextColumns } from '../indexed-columns.ts';
import { isLocalOnDateSql, isOnDateSql } from './on-date-sql.ts';

/** One rule of one column. */
export interface RowRule {
  /** SQL over the columns `value0`, `value1`...: false where the rule is broken, null or true else. */
  readonly holds: string;
  /** The same of a local time, if files have the market's: SQL over its nanoseconds `local0`... and the dates `read0`... */
  readonly holdsOfLocal?: string;
  /** The legal values, in words; `texts` are those of the row. */
  readonly accepts: (texts: readonly (string | null)[]) => string;
}

function sameDayRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { dateColumn, sameDayColumns, timeZone, fileTimeZone } = dataset;
  if (!sameDayColumns.includes(columns[c]?.name ?? '')) return null;
  const d = columns.findIndex(({ name }) => name === dateColumn);
  if (d < 0) return null;
  return {
    holds: isOnDateSql(timeZone, `value${c}`, `value${d}`),
    ...(fileTimeZone === timeZone && { holdsOfLocal: isLocalOnDateSql(`local${c}`, `read${d}`) }),
    accepts: (texts) => acceptedOnDate(dataset, texts[d] ?? null),
  };
}

function identifierRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { name } = columns[c] as Column;
  if (!identifierTextColumns(dataset).has(name)) return null;
  return {
    holds: `regexp_full_match(value${c}, '${IDENTIFIER_PATTERN}')`,
    accepts: (texts) => acceptedIdentifier(texts[c] ?? null),
  };
}

/** The rule that the values of column `c` have to keep; null: none. */
export function rowRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  return sameDayRule(dataset, columns, c) ?? identifierRule(dataset, columns, c);
}
