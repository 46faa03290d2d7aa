/**
 * Faster ways to load for engines that read text and files themselves. They are optional, and come
 * to the same as `ingest/` reading the records and appending batches.
 */
import { printableLine } from '../base/printable.ts';
import type { Column } from '../catalog/dataset.ts';
import type { FileField, HeaderRules } from '../catalog/header-columns.ts';
import type { RecordReading } from './record-reading.ts';

/** A value that did not fit its column, or a line that could not be read as a row (column null). */
export interface BadValue {
  readonly file: string;
  /** Line of the file, from 1; row number in formats without lines. */
  readonly line: number;
  readonly column: string | null;
  readonly value: string;
  /** The legal values of the column, in words. */
  readonly reason: string;
}

const SHOWN_CHARACTERS = 60;

/** `bars.csv:7: Volume "many" is not an integer such as 100`. */
export function badValueText({ file, line, column, value, reason }: BadValue): string {
  const isLong = value.length > SHOWN_CHARACTERS;
  const shown = isLong ? `${value.slice(0, SHOWN_CHARACTERS)}...` : value;
  const what = `${column ?? 'the record'} ${JSON.stringify(shown)}`;
  return `${printableLine(file)}:${line}: ${what} is not ${reason}`;
}

/** Maximum number of bad values in a report. */
export const SHOWN_BAD_VALUES = 10;

export interface LoadReport {
  readonly rowCount: number;
  /** Rows left out because at least one of their values is bad. */
  readonly badRowCount: number;
  /** The first `SHOWN_BAD_VALUES`, in file order. */
  readonly badValues: readonly BadValue[];
}

/** No record is longer: text without line ends must not fill the memory. */
export const RECORD_BYTES_MAX = 1_048_576;

/** Records of CSV text, cut out of one or more files: whole ones, all of the same columns. */
export interface RecordBlock {
  /** The meaning of each field of a record, in order. */
  readonly fields: readonly FileField[];
  /** The columns among them. */
  readonly columns: readonly Column[];
  /** The bytes of the records, one part after the other; each part holds whole records. */
  readonly parts: readonly Buffer[];
  readonly recordCount: number;
  /** How fields become values of columns; null: each field is one of the column. */
  readonly reading: RecordReading | null;
}

/**
 * Records without blank lines or line ends in quotes, in which every field is null or has the usual
 * form of its type, with quotes around it or not, and every identifier is one that can be named. So
 * no reader of CSV can misread them; a value can still be bad, such as a day that does not exist.
 */
export interface PlainBlock extends RecordBlock {
  /** Names of the date-time columns whose times bear an offset or a `Z`; the others bear none. */
  readonly offsetColumns: ReadonlySet<string>;
  readonly lineEnd: '\n' | '\r\n';
}

/** Records that each begin with an added field, their number, which grows, and end with LF. */
export interface NumberedBlock extends RecordBlock {
  /** A quoted field holds a line end, so that not every line end ends a record. */
  readonly hasLineFeeds: boolean;
}

/** A value of a numbered record that did not fit its column. */
export interface BadField {
  readonly recordNumber: number;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
}

export interface BlockReport {
  readonly rowCount: number;
  readonly badRowCount: number;
  /** In the order of the records, as many as were asked for. */
  readonly badFields: readonly BadField[];
  /** Numbers of all records that were left out, bad or not asked for, in their order. */
  readonly badRecordNumbers: readonly number[];
}

/** Maximum number of bad rows of a Parquet file whose numbers are told. */
export const BAD_ROW_NUMBERS_MAX = 1_000_000;

export interface ParquetReport extends LoadReport {
  /** Numbers of all rows that were left out, from 1, in their order; null: there are too many. */
  readonly badRowNumbers: readonly number[] | null;
}

export interface ParquetSource {
  readonly displayName: string;
  /** Absolute. */
  readonly path: string;
  readonly header: HeaderRules;
}

export interface RecordLoader {
  /** A plain block of fewer fields costs less as batches; absent: none does. */
  readonly plainFieldsMin?: number;
  /**
   * Appends all records or, where it is not sure of one of them, none (null). Resolves with the
   * places, from 0, of those that a recipe leaves out. Nothing is appended before its `turn`.
   */
  loadPlainRecords(block: PlainBlock, turn?: Promise<void>): Promise<readonly number[] | null>;
  /** Appends the good records and reports the bad ones; `shownCount` of their values at most. */
  loadNumberedRecords(block: NumberedBlock, shownCount: number): Promise<BlockReport>;
  /** The texts that the reading of a block makes of its records, a list for each row. */
  readTexts?(block: NumberedBlock): Promise<(string | null)[][]>;
}

export interface ParquetLoader {
  /**
   * Appends the good rows of a Parquet file and reports the bad ones. Throws a `UsageError` where
   * nothing of it can be read.
   */
  loadParquet(source: ParquetSource): Promise<ParquetReport>;
}
