/** Which rows of an existing partition file a new one takes over, in SQL. */
import type { Dataset } from '../../catalog/dataset.ts';
import type { RemovedRows } from '../engine.ts';
import { identifierColumn, namingColumns } from '../indexed-columns.ts';
import type { DateSpan } from '../query-plan.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { partitionCondition } from './stage-order.ts';
import type { StageTable } from './stage-table.ts';
import { storedSql } from './utc-columns.ts';

/** Whether the rows that stay of a part are on other dates than all that the partition's staged rows are on. */
export async function areDatesTaken(
  table: StageTable,
  dataset: Dataset,
  key: string,
  removed: RemovedRows | undefined,
): Promise<boolean> {
  const { dates = null, identifiers = [] } = removed ?? {};
  if (!dates || identifiers !== null) return false;
  const { connection, name } = table;
  const condition = partitionCondition(dataset, key);
  const staged = `SELECT 1 FROM ${name} WHERE ${condition}`;
  // No date is staged with rows of no date, of which some may stay.
  const isApart = dates === 'staged' ? `${dateOf(dataset)} IS NOT NULL` : isOnDates(dataset, dates);
  const reader = await connection.runAndReadAll(
    `${staged} AND NOT coalesce(${isApart}, false) LIMIT 1`,
  );
  return reader.currentRowCount === 0;
}

/**
 * The span of the dates that staged rows take from the part `source`, which is SQL, if none of it stays within
 * the span. Null: not so.
 */
export async function spanTaken(
  table: StageTable,
  dataset: Dataset,
  key: string,
  source: string,
  removed: RemovedRows | undefined,
): Promise<DateSpan | null> {
  if (!removed?.dates || !(await areDatesTaken(table, dataset, key, removed))) return null;
  if (removed.dates !== 'staged') return removed.dates;
  const date = dateOf(dataset);
  const staged = `SELECT ${date} FROM ${table.name} WHERE ${partitionCondition(dataset, key)}`;
  const reader = await table.connection.runAndReadAll(
    `SELECT first::VARCHAR, last::VARCHAR FROM (
       SELECT min(${date}) AS first, max(${date}) AS last FROM (${staged}))
     WHERE NOT EXISTS (SELECT 1 FROM ${source}
       WHERE ${date} BETWEEN first AND last AND ${date} NOT IN (${staged}))`,
  );
  const [span] = reader.getRows() as [string, string][];
  return span ? { start: span[0], end: span[1] } : null;
}

const dateOf = ({ dateColumn }: Dataset) => quoteName(dateColumn ?? '');

function isOnDates(dataset: Dataset, { start, end }: DateSpan): string {
  return `${dateOf(dataset)} BETWEEN ${quoteText(start)} AND ${quoteText(end)}`;
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
  if (dates === 'staged') {
    conditions.push(`${dateOf(dataset)} IN (SELECT ${dateOf(dataset)} FROM ${table.name}
      WHERE ${partitionCondition(dataset, key)})`);
  } else if (dates) conditions.push(isOnDates(dataset, dates));
  if (identifiers) conditions.push(hasIdentifierSql(table, dataset, key, identifiers));
  const removed = conditions.map((condition) => `coalesce(${condition}, false)`).join(' AND ');
  return `NOT (${removed || 'true'})`;
}
