/** Which rows of an existing partition file a new one takes over, in SQL. */
import type { Dataset } from '../../catalog/dataset.ts';
import type { RemovedRows } from '../engine.ts';
import { identifierColumn, namingColumns } from '../indexed-columns.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { partitionCondition } from './stage-order.ts';
import type { StageTable } from './stage-table.ts';
import { storedSql } from './utc-columns.ts';

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
  if (dates) {
    const date = quoteName(dataset.dateColumn ?? '');
    conditions.push(`${date} BETWEEN ${quoteText(dates.start)} AND ${quoteText(dates.end)}`);
  }
  if (identifiers) conditions.push(hasIdentifierSql(table, dataset, key, identifiers));
  const removed = conditions.map((condition) => `coalesce(${condition}, false)`).join(' AND ');
  return `NOT (${removed || 'true'})`;
}
