/** The lines of answers about tables, in the protocol's format `parquet`. Pure. */

import { hash } from 'node:crypto';
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { fileColumnsOf } from '../engine/file-columns.ts';
import type { Account } from '../store/accounts.ts';

/** The header with the version of a table. */
export const TABLE_VERSION = 'Delta-Table-Version';
export const NDJSON = 'application/x-ndjson; charset=utf-8';

/**
 * Clients split texts into lines at more characters than the line feed, all of which are not ASCII.
 */
const NOT_ASCII = /[\u007f-\uffff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JSON in one line, whatever a client takes for the end of one. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(NOT_ASCII, escaped);
}

/** A body of lines. */
export function linesOf(actions: readonly object[]): string {
  return actions.map((action) => `${jsonLine(action)}\n`).join('');
}

export const PROTOCOL = { protocol: { minReaderVersion: 1 } } as const;

export interface TableMetadata {
  readonly id: string;
  readonly dataset: Dataset;
  /** Bytes and number of its files; null: nobody asks. */
  readonly size: { readonly byteCount: number; readonly fileCount: number } | null;
  /** The version, if the request names it. */
  readonly version: number | null;
}

export function metadataAction({ id, dataset, size, version }: TableMetadata) {
  return {
    metaData: {
      id,
      name: dataset.textId,
      description: dataset.description,
      format: { provider: 'parquet' },
      schemaString: schemaString(dataset),
      partitionColumns: [],
      configuration: { enableChangeDataFeed: 'true' },
      ...(size && { size: size.byteCount, numFiles: size.fileCount }),
      ...(version !== null && { version }),
    },
  };
}

export interface TableFile {
  readonly url: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;
  /** Key of its first partition: equal bytes in two partitions are two files. */
  readonly firstPartition: string;
  readonly byteCount: number;
  readonly rowCount: number;
  readonly expiresAtMs: number;
}

/** The version that a file came or went with, and when that was published. */
export interface FileVersion {
  readonly version: number;
  readonly publishedAtMs: number;
}

const ID_DIGITS = 32;

/** A file of a table, or one that a version added or removed. */
export function fileAction(
  kind: 'file' | 'add' | 'remove',
  { url, sha256, firstPartition, byteCount, rowCount, expiresAtMs }: TableFile,
  at: FileVersion | null,
) {
  return {
    [kind]: {
      url,
      id: `${firstPartition}-${sha256.slice(0, ID_DIGITS)}`,
      partitionValues: {},
      size: byteCount,
      stats: JSON.stringify({ numRecords: rowCount }),
      expirationTimestamp: expiresAtMs,
      ...(at && { version: at.version, timestamp: at.publishedAtMs }),
    },
  };
}

/** Says that an answer is whole, and when its links expire; null: it has none. */
export function endAction(expiresAtMs: number | null) {
  const expiry = expiresAtMs === null ? {} : { minUrlExpirationTimestamp: expiresAtMs };
  return { endStreamAction: expiry };
}

/** Small letters, digits, hyphens and underscores; '' where a text has none of them. */
function plainName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 255);
}

/** The share of an account, which is all that it may read. */
export function shareName({ accountId, name }: Pick<Account, 'accountId' | 'name'>): string {
  return plainName(name) || `account_${accountId}`;
}

/** The schema of a dataset: its data group. */
export function schemaName({ dataGroup }: Pick<Dataset, 'dataGroup'>): string {
  return plainName(dataGroup) || 'datasets';
}

/** A UUID of version 8, made of words. */
function idOf(words: readonly (string | number)[]): string {
  const digits = hash('sha256', JSON.stringify(words), 'hex');
  const blocks = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  return blocks.join('-');
}

export function shareId({ accountId }: Pick<Account, 'accountId'>): string {
  return idOf(['share', accountId]);
}

/** A table id for each account and dataset, because the account's rules limit the table. */
export function tableId(
  { accountId }: Pick<Account, 'accountId'>,
  { datasetId }: Pick<Dataset, 'datasetId'>,
): string {
  return idOf(['table', accountId, datasetId]);
}

type DeltaType = string | { type: 'array'; elementType: string; containsNull: boolean };

const arrayOf = (elementType: string) => () => ({
  ...{ type: 'array' as const, elementType },
  containsNull: true,
});

const TYPES: Readonly<Record<DataType, (column: Column) => DeltaType>> = {
  string: () => 'string',
  integer: () => 'long',
  number: () => 'double',
  decimal: (column) => {
    const { precision, scale } = decimalDigits(column);
    return `decimal(${precision},${scale})`;
  },
  boolean: () => 'boolean',
  date: () => 'date',
  'date-time': () => 'timestamp',
  'array of string': arrayOf('string'),
  'array of integer': arrayOf('long'),
  'array of number': arrayOf('double'),
};

/** How the files of tables have times: Delta's timestamps are microseconds. */
export const TABLE_TIMES = 'microseconds and integers';

/** Always the same text for the same definition. */
export function schemaString({ columns }: Pick<Dataset, 'columns'>): string {
  const fields = fileColumnsOf(columns, TABLE_TIMES).map((column) => ({
    name: column.name,
    type: TYPES[column.dataType](column),
    nullable: true,
    metadata: { comment: column.description },
  }));
  return JSON.stringify({ type: 'struct', fields });
}
