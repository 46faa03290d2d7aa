/**
 * An engine keeps the rows of the lake and finds them again. A reader scans parts for a plan; a storage
 * turns loaded rows into new parts. Each engine lives in a folder of its own and nothing outside names it.
 */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { Config } from '../settings/config.ts';
import type { ColumnBatch } from './columns.ts';
import type { Part, WrittenPart } from './part.ts';
import type { QueryPlan } from './query-plan.ts';

/** A part that is gone, cut off or damaged, or may not be read. The message is for the operator. */
export class UnreadablePartError extends Error {
  /** `cause` is the engine's own error. */
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'UnreadablePartError';
  }
}

export interface EngineReader {
  /**
   * Yields the rows of a plan: at most `plan.limit + 1` of them, so that the caller knows whether a
   * next page exists. Columns come in the order of `plan.columns`. Aborting the signal stops the
   * engine's work and rejects with the signal's reason. Rejects with an `UnreadablePartError` where a
   * part of the plan cannot be read.
   */
  scan(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch>;
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
 * Rows of one dataset on their way into the lake: loaded in feed order, written out as parts. Memory
 * stays bounded whatever the number of rows.
 */
export interface PartWriter {
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
   * Throws a `UsageError` where a loaded row breaks a rule of its dataset: a time off the row's date,
   * an identifier that no request can name. Rows that were loaded keep them; appended ones may not.
   */
  requireRowRules(): Promise<void>;
  /** Keys of the partitions that the rows fall into, in natural order. */
  partitionKeys(): Promise<string[]>;
  /**
   * Writes the rows of one partition to a new location, sorted in natural order, equal keys in feed
   * order. The rows of `existing`, when given, come first among equal keys.
   */
  write(key: string, location: string, existing: ExistingPart | null): Promise<WrittenPart>;
  /** Resolves when the parts written so far outlast a crash of the machine. */
  flush(): Promise<void>;
  /** Drops the rows; the parts that were written stay. */
  close(): Promise<void>;
}

/** A part whose rows another one takes over. */
export type ExistingPart = Pick<Part, 'location' | 'digest' | 'rowCount'>;

/** What the watch for damage knows of a part that is published. */
export type StoredPart = Pick<Part, 'location'> & Pick<WrittenPart, 'storedByteCount'>;

export interface PartStorage {
  /** A location that no part has ever had. The index notes it before anything is written there. */
  newLocation(dataset: Dataset, key: string): string;
  /**
   * Opens a writer without rows. Aborting the signal stops what the writer is doing, which then
   * rejects, as does everything but `close` after.
   */
  openWriter(dataset: Dataset, signal?: AbortSignal): Promise<PartWriter>;
  /** Removes what is at the locations, where there is anything. */
  remove(locations: readonly string[]): Promise<void>;
  /** Why a part cannot be read, for the operator; null: nothing is seen to be wrong with it. */
  findDamage(part: StoredPart): Promise<string | null>;
  /** Removes what writers left behind whose process died. */
  sweep(): Promise<void>;
}

/** What an engine is opened with: the home of the installation, and the engine's own settings. */
export interface EngineConfig extends Partial<Config> {
  readonly home: string;
}

/** An engine, as its folder exports it. */
export interface Engine {
  openReader(config: Config): Promise<EngineReader>;
  /** Settings that are missing have their defaults. */
  openStorage(config: EngineConfig): PartStorage;
}
