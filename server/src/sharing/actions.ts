/** The lines of answers about tables, in the protocol's format `parquet`. Pure. */
import type { Dataset } from '../catalog/dataset.ts';
import { schemaString } from './table-schema.ts';

/** The header with the version of a table. */
export const TABLE_VERSION = 'Delta-Table-Version';
export const NDJSON = 'application/x-ndjson; charset=utf-8';

/** Clients split texts into lines at more characters than the line feed, all of which are not ASCII. */
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
  /** Where the request names it. */
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
