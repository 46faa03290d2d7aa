/**
 * Manifests: the files that a request for all of its rows comes to, and whether the account may
 * fetch them.
 */

import type { Column, DataType } from '../catalog/dataset.ts';
import type { Part } from '../engine/part.ts';
import { fingerprintOf, walkFingerprint } from '../engine/plan-fingerprint.ts';
import { isMade, type QueryPlan } from '../engine/query-plan.ts';
import { VALUE_BYTES } from '../formats/arrow/fields.ts';
import { findDays } from '../plan/date-range.ts';
import { daysOfPartition } from '../plan/partitions.ts';
import { rowsWords } from '../response/page.ts';
import type { QuotaLimits } from '../store/accounts.ts';
import type { QuotaSpan, QuotaUsage } from '../store/quantities.ts';
import type { DeliveredFile } from './delivered-files.ts';
import type { FileFormat } from './file-formats.ts';

/** Equal for plans whose files have the same bytes. */
export function fileFingerprint(plan: QueryPlan, { name }: FileFormat): string {
  return fingerprintOf([walkFingerprint(plan), name]);
}

/** First and last partition of a file; a partition is named by its key. */
export function partitionsOf({ parts }: QueryPlan): {
  readonly first: string;
  readonly last: string;
} {
  return { first: parts[0]?.key ?? '', last: parts.at(-1)?.key ?? '' };
}

/**
 * Says which rows, of which versions and partitions, so that files of two versions may lie side by
 * side.
 */
export function fileName(plan: QueryPlan, { suffix }: FileFormat): string {
  const { first, last } = partitionsOf(plan);
  const keys = first === last ? [first] : [first, last];
  const factors = plan.restatement ? [`f${plan.restatement.factors.version}`] : [];
  const words = [...rowsWords(plan), `v${plan.version}`, ...factors, ...keys];
  return `${words.map((word) => word.replaceAll(/[^A-Za-z0-9.-]/g, '_')).join('_')}${suffix}`;
}

export interface QuotasLeft {
  readonly requests_left: number | null;
  readonly data_returned_left: number | null;
  readonly data_scanned_left: number | null;
}

export interface Allowance extends QuotasLeft {
  readonly fits: boolean;
}

/** The cost of a fetch in the month's quotas. */
export interface Claim {
  readonly requestCount: number;
  readonly returnedBytes: number;
  readonly scannedBytes: number;
}

/** The rest of the quotas of a span; null where unlimited. */
export function quotasLeft(span: QuotaSpan, limits: QuotaLimits, used: QuotaUsage): QuotasLeft {
  const left = (quantity: keyof typeof used.month) => {
    const limit = limits[span][quantity];
    return limit === null ? null : Math.max(0, limit - used[span][quantity]);
  };
  return {
    requests_left: left('requests'),
    data_returned_left: left('returnedBytes'),
    data_scanned_left: left('scannedBytes'),
  };
}

/** The rest of the month's quotas, and whether the claim fits. */
export function allowanceFor(claim: Claim, limits: QuotaLimits, used: QuotaUsage): Allowance {
  const rest = quotasLeft('month', limits, used);
  const isWithin = (amount: number, room: number | null) => room === null || amount <= room;
  return {
    fits:
      isWithin(claim.requestCount, rest.requests_left) &&
      isWithin(claim.returnedBytes, rest.data_returned_left) &&
      isWithin(claim.scannedBytes, rest.data_scanned_left),
    ...rest,
  };
}

/** Sums of all files. */
export function totalsOf(files: readonly DeliveredFile[]) {
  return {
    row_count: files.reduce((sum, { rowCount }) => sum + rowCount, 0),
    byte_count: files.reduce((sum, { bytes }) => sum + bytes.byteCount, 0),
  };
}

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

/** Rows that pass by their dates alone, as far as the index knows, from the offset on. */
export function rowsAtLeast(plan: QueryPlan): number {
  const { dataset, predicates, grants, parts, offset } = plan;
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  const isOfDates = predicates.every((each) => each.column === column && each.operator !== 'in');
  if (isMade(plan) || plan.rolls || !isOfDates) return 0;
  const { first, last } = column ? findDays(column, predicates) : { first: null, last: null };
  const windows = grants.flatMap(({ window, universe }) => (universe === null ? [window] : []));
  const isWhole = ({ key, lastDate }: Part) => {
    const days = daysOfPartition(dataset, key);
    if (days === null) return predicates.length === 0 && windows.includes(null);
    const end = lastDate && lastDate < days.end ? lastDate : days.end;
    const holds = (from: string | null, to: string | null) =>
      (from ?? '') <= days.start && (to ?? end) >= end;
    return (
      holds(first, last) && windows.some((each) => holds(each?.start ?? null, each?.end ?? null))
    );
  };
  return Math.max(0, sum(parts.filter(isWhole).map(({ rowCount }) => rowCount)) - offset);
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
