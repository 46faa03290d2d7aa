/** The table in which a stage keeps loaded rows until they are written out. */
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { UsageError } from '../../../base/errors.ts';
import { decimalDigits } from '../../../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../../../catalog/dataset.ts';
import type { Evening } from '../../engine.ts';
import { keyOfDate, spanOfKey, WHOLE_KEY } from '../../partition-key.ts';
import { quoteName, quoteText } from '../sql-text.ts';

const SQL_TYPES: Readonly<Record<Exclude<DataType, 'decimal'>, string>> = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  'date-time': 'TIMESTAMP_NS',
  'array of string': 'VARCHAR[]',
  'array of integer': 'BIGINT[]',
  'array of number': 'DOUBLE[]',
};

/** How a column is stored, in stages and in partition files. Times hold UTC. */
export function sqlType(column: Column): string {
  if (column.dataType !== 'decimal') return SQL_TYPES[column.dataType];
  const { precision, scale } = decimalDigits(column);
  return `DECIMAL(${precision}, ${scale})`;
}

/** The type that queries read a column as: times are integers, see `utc-columns.ts`. */
export function readType(column: Column): string {
  return column.dataType === 'date-time' ? SQL_TYPES.integer : sqlType(column);
}

/**
 * A row's number in the table, from 0. Rows lie in the order in which they were inserted, so it
 * keeps rows of equal keys in the order of the feed.
 */
export const ROW_ORDER = 'rowid';
/** A table with fewer rows than this has row numbers of 32 bits. */
const SHORT_ROW_ORDER_ROWS_MAX = 4_000_000_000;

/**
 * The rows of `dataset` loaded so far: one column for each of the dataset's, in the catalogue's
 * order and typed by `sqlType`. They are gone when the connection is closed.
 */
export interface StageTable {
  readonly connection: DuckDBConnection;
  /** As SQL text. */
  readonly name: string;
  readonly dataset: Dataset;
  /** See `stagedDays`; to be cleared when rows are added. */
  readonly daysByColumn: Map<string, ReadonlyMap<string | null, bigint>>;
  /** See `stagedPartitions`; likewise. */
  readonly rowCounts: Map<string, number>;
  /** Files, as SQL text, with the first rows, and the table of the others; absent: no files. */
  readonly packed?: { readonly files: string; readonly loose: StageTable };
}

/** The rows of a query. */
export async function selectRows(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBValue[][]> {
  return (await connection.runAndReadAll(sql)).getRows();
}

async function countRows({ connection, name }: StageTable): Promise<number> {
  const [[rowCount] = []] = await selectRows(connection, `SELECT count(*) FROM ${name}`);
  return Number(rowCount);
}

/** `ROW_ORDER` as a sort key, which is to be short: one of 32 bits sorts ticks a quarter faster. */
export async function rowOrderKey(table: StageTable): Promise<string> {
  return (await countRows(table)) < SHORT_ROW_ORDER_ROWS_MAX
    ? `CAST(${ROW_ORDER} AS UINTEGER)`
    : ROW_ORDER;
}

/** The dataset's columns as SQL text, in the catalogue's order. */
export function columnList(dataset: Dataset): string {
  return dataset.columns.map((column) => quoteName(column.name)).join(', ');
}

/** The sort that partition files have, without the final word on equal keys. */
function naturalOrderList(dataset: Dataset): string {
  return dataset.naturalOrder.map((name) => `${quoteName(name)} ASC NULLS LAST`).join(', ');
}

export async function createStageTable(
  connection: DuckDBConnection,
  dataset: Dataset,
): Promise<StageTable> {
  const name = 'staged';
  const columns = dataset.columns.map((c) => `${quoteName(c.name)} ${sqlType(c)}`);
  await connection.run(`CREATE TEMP TABLE ${name} (${columns.join(', ')})`);
  return { connection, name, dataset, daysByColumn: new Map(), rowCounts: new Map() };
}

/** Sort keys that differ within a partition: on a day of its own the date is always the same. */
export function keysWithinPartition({ naturalOrder, partitioning }: Dataset): readonly string[] {
  const { unit, column } = partitioning;
  return unit === 'day' ? naturalOrder.filter((name) => name !== column) : naturalOrder;
}

/**
 * True where the keys of a row and of the one before it compare so: like their columns one after
 * the other, null as the greatest value. True, too, if the engine does not read the rows in order.
 */
export async function haveNeighbours(
  { connection, name }: StageTable,
  columns: readonly string[],
  operator: '<' | 'IS NOT DISTINCT FROM',
): Promise<boolean> {
  const key = `row(${columns.map(quoteName).join(', ')})`;
  // A window without order streams over the rows as they are read, for a fraction of a sort.
  const found = await selectRows(
    connection,
    `SELECT 1 FROM (SELECT ${key} ${operator} lag(${key}) OVER ()
       OR ${ROW_ORDER} < lag(${ROW_ORDER}) OVER () AS is_found FROM ${name})
     WHERE is_found LIMIT 1`,
  );
  return found.length > 0;
}

/** True where the rows lie in natural order, so that there is nothing to sort. */
export async function isInNaturalOrder(table: StageTable): Promise<boolean> {
  return !(await haveNeighbours(table, table.dataset.naturalOrder, '<'));
}

/** Makes the rows that are read as `rows` those of the table, in their order. */
export async function fillTable({ connection, name }: StageTable, rows: string): Promise<void> {
  await connection.run(`CREATE TEMP TABLE filled AS ${rows}`);
  await connection.run(`DROP TABLE ${name}`);
  await connection.run(`ALTER TABLE filled RENAME TO ${name}`);
}

/** Sorts the table by natural order, equal keys in feed order. */
export async function sortStageTable(table: StageTable): Promise<void> {
  const order = `${naturalOrderList(table.dataset)}, ${await rowOrderKey(table)} ASC`;
  await fillTable(table, `SELECT * FROM ${table.name} ORDER BY ${order}`);
}

/** Rows of each date in a column, in order, null last; kept until rows are added. */
export async function stagedDays(
  { connection, name, daysByColumn }: StageTable,
  column: string,
): Promise<ReadonlyMap<string | null, bigint>> {
  const known = daysByColumn.get(column);
  if (known) return known;
  const day = quoteName(column);
  const found = await selectRows(
    connection,
    `SELECT day::VARCHAR, row_count FROM (
       SELECT ${day} AS day, count(*) AS row_count FROM ${name} GROUP BY ${day}) ORDER BY day`,
  );
  const days = new Map(found as [string | null, bigint][]);
  daysByColumn.set(column, days);
  return days;
}

/** Gives the rows of an evening another date; returns their number. */
export async function redateStaged(
  { connection, name, dataset }: StageTable,
  { date, timeColumn, startNanos, newDate }: Evening,
): Promise<number> {
  const day = quoteName(dataset.dateColumn ?? '');
  const { rowsChanged } = await connection.run(
    `UPDATE ${name} SET ${day} = DATE ${quoteText(newDate)}
     WHERE ${day} = DATE ${quoteText(date)} AND epoch_ns(${quoteName(timeColumn)}) >= ${startNanos}`,
  );
  return rowsChanged;
}

/** Rows of each partition that has any, in natural order; kept until rows are added. */
export async function stagedPartitions(table: StageTable): Promise<ReadonlyMap<string, number>> {
  const { dataset, rowCounts } = table;
  const { unit, column } = dataset.partitioning;
  if (rowCounts.size > 0) return rowCounts;
  if (unit === 'whole' || column === null) {
    const rowCount = await countRows(table);
    return rowCount > 0 ? rowCounts.set(WHOLE_KEY, rowCount) : rowCounts;
  }
  const days = await stagedDays(table, column);
  const nullCount = days.get(null);
  if (nullCount !== undefined) {
    throw new UsageError(
      `${column} is null in ${nullCount} of the rows, but ${dataset.textId} is partitioned by its ${unit}`,
    );
  }
  for (const [day, rowCount] of days) {
    const key = keyOfDate(unit, `${day}`);
    rowCounts.set(key, (rowCounts.get(key) ?? 0) + Number(rowCount));
  }
  return rowCounts;
}

/** The rows of partitions from one to another as SQL, a condition at its end. */
export function stagedRows({ name, dataset }: StageTable, key: string, lastKey = key): string {
  const { unit, column } = dataset.partitioning;
  if (unit === 'whole' || column === null) return `${name} WHERE true`;
  // Dates, so that the engine looks only where its own bounds say that rows may be.
  const [{ start }, { end }] = [spanOfKey(key), spanOfKey(lastKey)];
  return `${name} WHERE ${quoteName(column)} BETWEEN DATE '${start}' AND DATE '${end}'`;
}
