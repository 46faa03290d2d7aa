/**
 * The engine behind the service. A query engine runs plans; a stage turns loaded rows into sorted,
 * immutable partition files. Each engine lives in a folder of its own and nothing outside names it.
 */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from './columns.ts';
import type { PartitionFile } from './partition.ts';
import type { QueryPlan } from './query-plan.ts';

/** A partition file that is gone, cut off, damaged or may not be read. */
export class UnreadableFileError extends Error {
  /**
   * `files` are absolute paths: of the file, or of all that it may be where the engine does not say.
   * `cause` is the engine's own error.
   */
  constructor(files: readonly string[], cause: unknown) {
    const [first, last] = [files.at(0), files.at(-1)];
    const named = `one of the ${files.length} files from ${first} to ${last}`;
    super(`${files.length === 1 ? `the file ${first}` : named} cannot be read`, { cause });
    this.name = 'UnreadableFileError';
  }
}

export interface QueryEngine {
  /**
   * Runs a plan and yields its rows: at most `plan.limit + 1` of them, so that the caller knows
   * whether a next page exists. Columns come in the order of `plan.columns`. Aborting the signal
   * stops the engine's work and rejects with the signal's reason. Rejects with an
   * `UnreadableFileError` where a file of the plan cannot be read.
   */
  run(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch>;
  /** Resolves when the engine answers the least of questions; rejects when it cannot. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The columns whose bounds the index keeps: sort keys, identifiers, universe, date. */
export function indexedColumns(dataset: Dataset): string[] {
  return [
    ...new Set([
      ...dataset.naturalOrder,
      ...dataset.identifierColumns,
      ...dataset.universeColumns,
      ...(dataset.dateColumn === null ? [] : [dataset.dateColumn]),
    ]),
  ].filter((name) => dataset.columnByName.get(name)?.dataType !== 'array of string');
}

/** The text columns whose values requests and access rules name. */
export function identifierTextColumns(dataset: Dataset): ReadonlySet<string> {
  const names = [...dataset.identifierColumns, ...dataset.universeColumns];
  return new Set(names.filter((name) => dataset.columnByName.get(name)?.dataType === 'string'));
}

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

/** Maximum number of bad values in a report. */
export const SHOWN_BAD_VALUES = 10;

export interface LoadReport {
  readonly rowCount: number;
  /** Rows left out because at least one of their values is bad. */
  readonly badRowCount: number;
  /** The first `SHOWN_BAD_VALUES`, in file order. */
  readonly badValues: readonly BadValue[];
}

/** Longer records are bad: text without line ends must not fill the memory. */
export const RECORD_BYTES_MAX = 1_048_576;

/** Records of CSV text, cut out of one or more files: whole ones, all of the same columns. */
export interface RecordBlock {
  readonly columns: readonly Column[];
  /** The bytes of the records, one part after the other; each part holds whole records. */
  readonly parts: readonly Buffer[];
  readonly recordCount: number;
}

/**
 * Records without blank lines or line ends in quotes, in which every field is null or has the usual
 * form of its type, with quotes around it or not, and every identifier is one that can be named. So no reader of CSV can misread them; a value can
 * still be bad, such as a day that does not exist.
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
}

export interface ParquetSource {
  readonly displayName: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * Rows of one dataset on their way into the lake: loaded in feed order, kept on disk, written out
 * as sorted partitions. Memory stays bounded whatever the number of rows.
 */
export interface Stage {
  append(batch: ColumnBatch): Promise<void>;
  /** Appends all records or, where it is not sure of one of them, none: resolves with which. */
  loadPlainRecords(block: PlainBlock): Promise<boolean>;
  /** Appends the good records and reports the bad ones; `shownCount` of their values at most. */
  loadNumberedRecords(block: NumberedBlock, shownCount: number): Promise<BlockReport>;
  /**
   * Appends the good rows of a Parquet file and reports the bad ones. Throws a `UsageError` where
   * nothing of it can be read.
   */
  loadParquet(source: ParquetSource): Promise<LoadReport>;
  /**
   * Throws a `UsageError` where a staged row breaks a rule of its dataset: a time off the row's date,
   * an identifier that no request can name. Rows that were loaded keep them; appended ones may not.
   */
  requireRowRules(): Promise<void>;
  /** Keys of the partitions that the staged rows fall into, in natural order. */
  partitionKeys(): Promise<string[]>;
  /**
   * Writes one partition to `targetFile` (which must not exist, and lies in the file system of the
   * stage's directory), sorted in natural order, equal
   * keys in feed order. Rows of `existingFile`, when given, come first among equal keys.
   */
  writePartition(
    key: string,
    targetFile: string,
    existingFile: string | null,
  ): Promise<PartitionFile>;
  /** Drops the staged rows. */
  close(): Promise<void>;
}

/** `outdated`: as an earlier release wrote it, which has to be upgraded before it is queried. */
export type PartitionFormat = 'current' | 'outdated' | 'unreadable';

export interface StagingEngine {
  formatOf(file: string): PartitionFormat;
  /**
   * Brings an outdated partition file to the current format, under the same name, which is that of a
   * whole file at every moment. Nobody else may do so at the same time.
   */
  upgradeFile(file: string): void;
  /**
   * Opens an empty stage whose temporary files live in `directory` (which must exist). Aborting the
   * signal stops what the stage is doing, which then rejects, as does everything but `close` after.
   */
  openStage(dataset: Dataset, directory: string, signal?: AbortSignal): Promise<Stage>;
}
