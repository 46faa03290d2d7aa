/** The table in which a stage keeps loaded rows until they are written out. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { UsageError } from '../../../base/errors.ts';
import { decimalDigits } from '../../../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../../../catalog/dataset.ts';
import { quoteName } from '../sql-text.ts';

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
const SHORT_ROW_ORDER_ROWS_MAX = 4_000_000_000n;

/**
 * The rows of `dataset` loaded so far: one column for each of the dataset's, in the catalogue's
 * order and typed by `sqlType`.
 */
export interface StageTable {
  readonly connection: DuckDBConnection;
  /** As SQL text. */
  readonly name: string;
}

/** `ROW_ORDER` as a sort key, which is to be short: one of 32 bits sorts ticks a quarter faster. */
export async function rowOrderKey({ connection, name }: StageTable): Promise<string> {
  const reader = await connection.runAndReadAll(`SELECT count(*) FROM ${name}`);
  const [[rowCount] = []] = reader.getRows();
  return (rowCount as bigint) < SHORT_ROW_ORDER_ROWS_MAX
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
  await connection.run(`CREATE TABLE ${name} (${columns.join(', ')})`);
  return { connection, name };
}

const WHOLE_KEY = 'all';
/** Characters of a date that make up its partition's key. */
const KEY_LENGTHS = { day: 10, month: 7, year: 4 } as const;

/** Sort keys that differ within a partition: on a day of its own the date is always the same. */
export function keysWithinPartition({ naturalOrder, partitioning }: Dataset): readonly string[] {
  const { unit, column } = partitioning;
  return unit === 'day' ? naturalOrder.filter((name) => name !== column) : naturalOrder;
}

/** True where the rows lie in natural order, so that there is nothing to sort. */
export async function isInNaturalOrder(table: StageTable, dataset: Dataset): Promise<boolean> {
  // Rows compare like their keys one after the other, null as the greatest value. A window without
  // order streams over the rows as they lie, which costs a fraction of a sort.
  const key = `row(${dataset.naturalOrder.map(quoteName).join(', ')})`;
  const reader = await table.connection.runAndReadAll(
    `SELECT 1 FROM (SELECT ${key} < lag(${key}) OVER () AS is_behind FROM ${table.name})
     WHERE is_behind LIMIT 1`,
  );
  return reader.currentRowCount === 0;
}

/** Sorts the table by natural order, equal keys in feed order. */
export async function sortStageTable(table: StageTable, dataset: Dataset): Promise<void> {
  const order = `${naturalOrderList(dataset)}, ${await rowOrderKey(table)} ASC`;
  await table.connection.run(
    `CREATE TABLE sorted AS SELECT * FROM ${table.name} ORDER BY ${order}`,
  );
  await table.connection.run(`DROP TABLE ${table.name}`);
  await table.connection.run(`ALTER TABLE sorted RENAME TO ${table.name}`);
}

/** Keys of the partitions that hold staged rows, in natural order. */
export async function stagedPartitionKeys(table: StageTable, dataset: Dataset): Promise<string[]> {
  const { unit, column } = dataset.partitioning;
  if (unit === 'whole' || column === null) {
    const reader = await table.connection.runAndReadAll(`SELECT 1 FROM ${table.name} LIMIT 1`);
    return reader.currentRowCount === 0 ? [] : [WHOLE_KEY];
  }
  const name = quoteName(column);
  const reader = await table.connection.runAndReadAll(
    `SELECT ${name}::VARCHAR, count(*) FROM ${table.name} GROUP BY ${name} ORDER BY ${name} NULLS FIRST`,
  );
  const days = reader.getRows() as [string | null, bigint][];
  const first = days[0];
  if (first && first[0] === null) {
    throw new UsageError(
      `${column} is null in ${first[1]} of the rows, but ${dataset.textId} is partitioned by its ${unit}`,
    );
  }
  return [...new Set(days.map(([day]) => (day as string).slice(0, KEY_LENGTHS[unit])))];
}

/** SQL condition that holds for the rows of one partition. */
export function partitionCondition(dataset: Dataset, key: string): string {
  const { unit, column } = dataset.partitioning;
  if (unit === 'whole' || column === null) return 'true';
  const first = `DATE '${`${key}-01-01`.slice(0, 10)}'`;
  const name = quoteName(column);
  return `${name} >= ${first} AND ${name} < ${first} + INTERVAL 1 ${unit}`;
}
