/**
 * What a request for rows may come to, before any row is read: at most so many rows, and about so many
 * bytes in each format. Pure.
 */
import type { Column, DataType } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { VALUE_BYTES } from '../formats/arrow/fields.ts';

/** Bytes that a value takes as text, about. */
const TEXT_BYTES: Readonly<Record<DataType, number>> = {
  integer: 7,
  number: 6,
  decimal: 8,
  boolean: 5,
  date: 10,
  'date-time': 35,
  string: 6,
  'array of string': 12,
  'array of integer': 12,
  'array of number': 12,
};

/** Quotes around what is no number in JSON. */
const QUOTES_BYTES = 2;
/** Market data as CSV shrinks to about a fifth. */
const GZIP_SHARE = 0.2;

const sum = (amounts: readonly number[]) => amounts.reduce((total, each) => total + each, 0);

const jsonBytes = (columns: readonly Column[]) =>
  // Quotes and colon of the name, and the comma after the value.
  sum(columns.map(({ name, dataType }) => name.length + 4 + TEXT_BYTES[dataType] + QUOTES_BYTES));
const csvBytes = (columns: readonly Column[]) =>
  sum(columns.map(({ dataType }) => TEXT_BYTES[dataType] + 1));
const arrowBytes = (columns: readonly Column[]) =>
  sum(columns.map(({ dataType }) => VALUE_BYTES[dataType]));

/** Stored bytes of a row, in the share of its columns that are asked for. */
function parquetBytes({ columns, dataset, scannedBytes, scannedRows }: QueryPlan): number {
  if (scannedRows === 0) return 0;
  const share = arrowBytes(columns) / arrowBytes(dataset.columns);
  return (scannedBytes / scannedRows) * share;
}

const ROW_BYTES: Readonly<Record<string, (plan: QueryPlan) => number>> = {
  json: ({ columns }) => jsonBytes(columns),
  csv: ({ columns }) => csvBytes(columns),
  csv_gzip: ({ columns }) => csvBytes(columns) * GZIP_SHARE,
  arrow: ({ columns }) => arrowBytes(columns),
  parquet: parquetBytes,
};

/** The plan finds no more rows from its offset on. */
export function rowsAtMost({ scannedRows, offset }: QueryPlan): number {
  return Math.max(0, scannedRows - offset);
}

/** As many rows as a row group has at most, and as many bytes as it has about. */
const LEAST_ROWS = 131_072;
const LEAST_BYTES = 1024 * 1024;

function upToPower(amount: number, least: number): number {
  return Math.max(least, 2 ** Math.ceil(Math.log2(Math.max(1, amount))));
}

/** The plan with its scan rounded up, for an account that may not know how many rows it scans. */
export function coarsely(plan: QueryPlan): QueryPlan {
  return {
    ...plan,
    scannedRows: upToPower(plan.scannedRows, LEAST_ROWS),
    scannedBytes: upToPower(plan.scannedBytes, LEAST_BYTES),
  };
}

/** Bytes of so many rows of the plan in a format, about. */
export function bytesAbout(plan: QueryPlan, format: string, rowCount: number): number {
  return Math.round((ROW_BYTES[format]?.(plan) ?? 0) * rowCount);
}
