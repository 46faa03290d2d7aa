/** The table in which a stage keeps loaded rows until they are written out. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { decimalDigits } from '../../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../../catalog/dataset.ts';
import { quoteName } from './sql-text.ts';

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
export function naturalOrderList(dataset: Dataset): string {
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
