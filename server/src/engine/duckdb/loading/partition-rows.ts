/** SQL for the rows of a partition in the order in which they are written. */
import type { Column, Dataset, DataType } from '../../../catalog/dataset.ts';
import type { RemovedRows } from '../../engine.ts';
import { identifierColumn, namingColumns } from '../../indexed-columns.ts';
import type { DateSpan } from '../../query-plan.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { storedName, storedSql } from '../utc-columns.ts';
import {
  keysWithinPartition,
  ROW_ORDER,
  rowOrderKey,
  type StageTable,
  selectRows,
  stagedRows,
} from './stage-table.ts';

/** True if no row that stays has a date of the partition's staged rows. */
export async function areDatesTaken(
  table: StageTable,
  key: string,
  removed: RemovedRows | undefined,
): Promise<boolean> {
  const { dates = null, identifiers = [] } = removed ?? {};
  if (!dates || identifiers !== null) return false;
  const { connection, dataset } = table;
  // No date is staged with rows of no date, of which some may stay.
  const isApart = dates === 'staged' ? `${dateOf(dataset)} IS NOT NULL` : isOnDates(dataset, dates);
  const others = await selectRows(
    connection,
    `SELECT 1 FROM ${stagedRows(table, key)} AND NOT coalesce(${isApart}, false) LIMIT 1`,
  );
  return others.length === 0;
}

/**
 * The span of the dates that staged rows take from the part `source`, which is SQL, if none of it
 * stays within the span. Null: not so.
 */
async function spanTaken(
  table: StageTable,
  key: string,
  { source, removed }: ExistingRows,
): Promise<DateSpan | null> {
  if (!removed?.dates || !(await areDatesTaken(table, key, removed))) return null;
  if (removed.dates !== 'staged') return removed.dates;
  const date = dateOf(table.dataset);
  const staged = `SELECT ${date} FROM ${stagedRows(table, key)}`;
  const [span] = (await selectRows(
    table.connection,
    `SELECT first::VARCHAR, last::VARCHAR FROM (
       SELECT min(${date}) AS first, max(${date}) AS last FROM (${staged}))
     WHERE NOT EXISTS (SELECT 1 FROM ${source}
       WHERE ${date} BETWEEN first AND last AND ${date} NOT IN (${staged}))`,
  )) as [string, string][];
  return span ? { start: span[0], end: span[1] } : null;
}

const dateOf = ({ dateColumn }: Dataset) => quoteName(dateColumn ?? '');

function isOnDates(dataset: Dataset, { start, end }: DateSpan): string {
  return `${dateOf(dataset)} BETWEEN ${quoteText(start)} AND ${quoteText(end)}`;
}

type Identifiers = Exclude<RemovedRows['identifiers'], null>;

function hasIdentifierSql(table: StageTable, key: string, identifiers: Identifiers): string {
  const { dataset } = table;
  if (identifiers === 'staged') {
    const column = identifierColumn(dataset);
    if (!column) throw new Error(`${dataset.textId} has no identifiers`);
    return `${storedSql(column)} IN (SELECT ${quoteName(column.name)}
      FROM ${stagedRows(table, key)} AND ${quoteName(column.name)} IS NOT NULL)`;
  }
  const names = namingColumns(dataset).map(quoteName);
  if (identifiers.length === 0 || names.length === 0) return 'false';
  const list = identifiers.map(quoteText).join(', ');
  return `(${names.map((name) => `coalesce(${name}::VARCHAR IN (${list}), false)`).join(' OR ')})`;
}

/** SQL condition that holds for the rows that stay. */
export function staysSql(
  table: StageTable,
  key: string,
  { dates, identifiers }: RemovedRows,
): string {
  const { dataset } = table;
  const date = dateOf(dataset);
  const conditions: string[] = [];
  if (dates === 'staged') {
    conditions.push(`${date} IN (SELECT ${date} FROM ${stagedRows(table, key)})`);
  } else if (dates) conditions.push(isOnDates(dataset, dates));
  if (identifiers) conditions.push(hasIdentifierSql(table, key, identifiers));
  const removed = conditions.map((condition) => `coalesce(${condition}, false)`).join(' AND ');
  return `NOT (${removed || 'true'})`;
}

/** Rows of a partition file, of which all stay but for some. */
interface ExistingRows {
  /** As SQL, with `file_row_number`; see `partitionSql`. */
  readonly source: string;
  readonly removed: RemovedRows | undefined;
}

export interface PartitionTarget {
  readonly key: string;
  /** The partition has at most this many rows. */
  readonly rowsMax: number;
  readonly targetFile: string;
  /** Rows that come first among equal keys; null: none. */
  readonly existing: ExistingRows | null;
  /** The table lies in natural order. */
  readonly isSorted: boolean;
  /**
   * Writes the file, in which only the rows around those of the table have yet to be packed; null:
   * most of them have.
   */
  readonly join: ((file: string, around: RowsAround) => Promise<void>) | null;
}

/** Queries of the rows that stay before and after all of the table's, in order. */
export interface RowsAround {
  readonly before: string | null;
  readonly after: string | null;
}

/** Files keep one of two zeros that share a row group, so a stored value would depend on others. */
const WITHOUT_MINUS_ZERO: Partial<Record<DataType, (sql: string) => string>> = {
  number: (sql) => `${sql} + 0e0`,
  'array of number': (sql) => `list_transform(${sql}, lambda item: item + 0e0)`,
};

/** Columns as they are written, in the catalogue's order; `nameOf`: their names in the source. */
function writtenColumns(
  columns: readonly Column[],
  nameOf: (column: Column) => string,
  timeSql: (sql: string) => string,
): string {
  const values = columns.map((column) => {
    const write = column.dataType === 'date-time' ? timeSql : WITHOUT_MINUS_ZERO[column.dataType];
    const name = quoteName(nameOf(column));
    return write ? `${write(name)} AS ${quoteName(column.name)}` : name;
  });
  return values.join(', ');
}

/** Columns of a partition file, as the stage's table has them. */
export function storedColumnList(columns: readonly Column[]): string {
  return writtenColumns(columns, storedName, (sql) => `make_timestamp_ns(${sql})`);
}

/** The stage's columns as they are written. */
export function writtenColumnList({ columns }: Dataset): string {
  return writtenColumns(
    columns,
    ({ name }) => name,
    (sql) => sql,
  );
}

/** Null: the rows that stay are among those of the table, or one of the two has to be sorted. */
export async function rowsAround(
  table: StageTable,
  { key, existing, isSorted }: PartitionTarget,
): Promise<RowsAround | null> {
  const { dataset } = table;
  if (!isSorted) return null;
  if (existing === null) return { before: null, after: null };
  const isByDate = dataset.naturalOrder[0] === dataset.dateColumn;
  const dates = isByDate && (await spanTaken(table, key, existing));
  if (!dates) return null;
  const date = dateOf(dataset);
  const rows = `SELECT ${storedColumnList(dataset.columns)} FROM ${existing.source} WHERE ${date}`;
  return {
    before: `${rows} < ${quoteText(dates.start)}`,
    after: `${rows} > ${quoteText(dates.end)} OR ${date} IS NULL`,
  };
}

/** The rows of the partition in the order in which they are written. */
export async function selectPartition(
  table: StageTable,
  { key, existing }: PartitionTarget,
  around: RowsAround | null,
): Promise<string> {
  const { dataset } = table;
  const columns = writtenColumnList(dataset);
  const rows = stagedRows(table, key);
  const keys = keysWithinPartition(dataset).map((name) => `${quoteName(name)} ASC NULLS LAST`);
  const staged = `SELECT ${columns} FROM ${rows}`;
  if (around) {
    const inOrder = [around.before, staged, around.after].filter((each) => each !== null);
    return inOrder.join(' UNION ALL ');
  }
  if (existing === null) {
    return `${staged} ORDER BY ${[...keys, `${await rowOrderKey(table)} ASC`].join(', ')}`;
  }
  const { source, removed } = existing;
  const stays = removed ? ` WHERE ${staysSql(table, key, removed)}` : '';
  const stored = storedColumnList(dataset.columns);
  return `SELECT ${columns} FROM (
      SELECT ${stored}, 0 AS feed, file_row_number AS row_order FROM ${source}${stays}
      UNION ALL
      SELECT ${columns}, 1 AS feed, ${ROW_ORDER} AS row_order FROM ${rows}
    ) ORDER BY ${[...keys, 'feed ASC', 'row_order ASC'].join(', ')}`;
}

/** A column that no dataset has. */
export const PARTITION_KEY = 'partition_key';

/** The rows of neighbouring partitions with their keys; `others`: SQL of more columns. */
export function selectPartitions(
  table: StageTable,
  targets: readonly PartitionTarget[],
  others = '',
) {
  const { partitioning } = table.dataset;
  const [first = '', last = ''] = [targets.at(0)?.key, targets.at(-1)?.key];
  const key = `left(${quoteName(partitioning.column ?? '')}::VARCHAR, ${first.length})`;
  return `SELECT ${writtenColumnList(table.dataset)}, ${key} AS ${PARTITION_KEY}${others}
    FROM ${stagedRows(table, first, last)}`;
}
