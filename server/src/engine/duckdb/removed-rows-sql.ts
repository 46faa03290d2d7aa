/** Which rows of an existing partition file a new one takes over, in SQL. */
import type { Dataset } from '../../catalog/dataset.ts';
import type { RemovedRows } from '../engine.ts';
import { identifierColumn, namingColumns } from '../indexed-columns.ts';
import type { DateSpan } from '../query-plan.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { partitionCondition } from './stage-order.ts';
import type { StageTable } from './stage-table.ts';
import { storedSql } from './utc-columns.ts';

/**
 * The dates that all rows which the staged ones of a partition replace are on, if the staged rows are on no others
 * themselves: the rows that stay are apart from them. Null: not so.
 */
export async function datesTaken(
  table: StageTable,
  dataset: Dataset,
  key: string,
  removed: RemovedRows | undefined,
): Promise<DateSpan | null> {
  const { dates = null, identifiers = [] } = removed ?? {};
  if (!dates || identifiers !== null) return null;
  const reader = await table.connection.runAndReadAll(
    `SELECT 1 FROM ${table.name} WHERE ${partitionCondition(dataset, key)}
     AND NOT coalesce(${isOnDates(dataset, dates)}, false) LIMIT 1`,
  );
  return reader.currentRowCount === 0 ? dates : null;
}

function isOnDates({ dateColumn }: Dataset, { start, end }: DateSpan): string {
  return `${quoteName(dateColumn ?? '')} BETWEEN ${quoteText(start)} AND ${quoteText(end)}`;
}

type Identifiers = Exclude<RemovedRows['identifiers'], null>;

function hasIdentifierSql(
  table: StageTable,
  dataset: Dataset,
  key: string,
  identifiers: Identifiers,
): string {
  if (identifiers === 'staged') {
    const column = identifierColumn(dataset);
    if (!column) throw new Error(`${dataset.textId} has no identifiers`);
    return `${storedSql(column)} IN (SELECT ${quoteName(column.name)} FROM ${table.name}
      WHERE ${partitionCondition(dataset, key)} AND ${quoteName(column.name)} IS NOT NULL)`;
  }
  const names = namingColumns(dataset).map(quoteName);
  if (identifiers.length === 0 || names.length === 0) return 'false';
  const list = identifiers.map(quoteText).join(', ');
  return `(${names.map((name) => `coalesce(${name}::VARCHAR IN (${list}), false)`).join(' OR ')})`;
}

/** SQL condition that holds for the rows that stay. */
export function staysSql(
  table: StageTable,
  dataset: Dataset,
  key: string,
  { dates, identifiers }: RemovedRows,
): string {
  const conditions: string[] = [];
  if (dates) conditions.push(isOnDates(dataset, dates));
  if (identifiers) conditions.push(hasIdentifierSql(table, dataset, key, identifiers));
  const removed = conditions.map((condition) => `coalesce(${condition}, false)`).join(' AND ');
  return `NOT (${removed || 'true'})`;
}
