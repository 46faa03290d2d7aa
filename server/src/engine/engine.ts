/**
 * An engine keeps the rows of the lake and finds them again. A reader scans parts for a plan; a
 * storage turns loaded rows into new parts. Each engine lives in a folder of its own and nothing
 * outside names it.
 */
import type { Clock } from '../base/clock.ts';
import type { TryLock } from '../base/process-lock.ts';
import type { LentBytes, StoredBytes } from '../base/stored-bytes.ts';
import type { CheckRule } from '../catalog/checks.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { CellValue, ColumnBatch } from './columns.ts';
import type { TimeForm } from './file-columns.ts';
import type { ParquetLoader, RecordLoader } from './file-loading.ts';
import type { Part, WrittenPart } from './part.ts';
import type { DateSpan, GroupedPlan, QueryPlan } from './query-plan.ts';

/** A sum or a deviation of groups is too large for its type. */
export class OutOfRangeError extends Error {
  constructor(cause: unknown) {
    super('what is computed of rows is out of range', { cause });
    this.name = 'OutOfRangeError';
  }
}

/** A part that is gone, cut off or damaged, or may not be read. The message is for the operator. */
export class UnreadablePartError extends Error {
  /** `cause` is the engine's own error. */
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'UnreadablePartError';
  }
}

/** A part whose storage does not answer at the moment. Nothing is wrong with it. */
export class UnreachablePartError extends UnreadablePartError {
  override readonly name = 'UnreachablePartError';
}

/** Rows as a Parquet file, most of which may be stretches of files that the engine stores. */
export interface ParquetFile {
  readonly rowCount: number;
  /** Offset of the first row that comes after those of the file; null: there is none. */
  readonly nextOffset: number | null;
  /** To be released when they are no longer wanted. */
  readonly bytes: StoredBytes;
}

/** Formats of text that an engine may write by itself. */
export type TextFormat = 'json' | 'json_exact' | 'csv' | 'csv_gzip';

/** A page as text. */
export interface TextPage {
  readonly body: Buffer | LentBytes;
  readonly rowCount: number;
  /** Offset of the next page; null on the last one. */
  readonly nextOffset: number | null;
}

/** A Parquet file that the engine has made, as it is delivered. */
export interface DirectFile {
  readonly bytes: StoredBytes;
  /** In hexadecimal. */
  readonly sha256: string;
  /** Letters, digits, dots, hyphens and underscores. */
  readonly name: string;
  readonly contentType: string;
}

/** Rows that are made elsewhere, anew each time. */
export type MadeRows = (signal: AbortSignal) => AsyncIterable<ColumnBatch>;

export interface EngineReader {
  /**
   * Yields the rows of a plan: at most `plan.limit + 1` of them, so that the caller knows whether a
   * next page exists. Columns come in the order of `plan.columns`. Aborting the signal stops the
   * engine's work and rejects with the signal's reason. Rejects with an `UnreadablePartError` where
   * a part of the plan cannot be read.
   */
  scan(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch>;
  /**
   * Writes the page of those rows as text, on another thread; null: the caller has to write it.
   * Ends and rejects as `scan` does. Absent: never.
   */
  text?(plan: QueryPlan, format: TextFormat, signal: AbortSignal): Promise<TextPage | null>;
  /**
   * Makes a Parquet file of the rows that `scan` yields for the plan, but for the one beyond its
   * limit, in the same order. Its schema is that of the plan's columns, also without rows: any
   * value may be null, times are marked as UTC and nanoseconds, unless `times` says otherwise
   * (`file-columns.ts`). Its key-value metadata have the labels of `plan/row-labels.ts`. Equal
   * plans make equal bytes, in any process of the same release. Ends and rejects as `scan` does,
   * and then leaves nothing behind.
   */
  parquet(plan: QueryPlan, signal: AbortSignal, times?: TimeForm): Promise<ParquetFile>;
  /**
   * As `parquet`, of rows computed elsewhere: in the columns of the plan, and as `scan` would yield
   * them, the one beyond the limit included. The plan says nothing else of them but the labels.
   * Rejects as the rows do.
   */
  writeParquet(
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    signal: AbortSignal,
    times?: TimeForm,
  ): Promise<ParquetFile>;
  /**
   * Yields the page of a plan that sorts, as `scan` does, out of all rows of its walk, which are
   * made elsewhere: in `sortedColumns` of the plan, equal ones in the order that they keep. They
   * may be asked for more than once, or not at all where the engine remembers the walk, and are
   * told when nobody wants them any more.
   */
  sortRows(plan: QueryPlan, rows: MadeRows, signal: AbortSignal): AsyncIterable<ColumnBatch>;
  /**
   * Yields the groups of the rows that a plan finds, as `scan` yields rows: ordered by their keys,
   * nulls last. Sums of integers and decimals are exact; those of numbers may differ in their last
   * digit. The first and last value are those of natural order. `rows` are made elsewhere, in the
   * columns of `rowsOfGroups`; absent: the engine finds them. What doubles
   * cannot hold is null. Ends and rejects as `scan` does, and with an `OutOfRangeError`.
   */
  aggregate(plan: GroupedPlan, signal: AbortSignal, rows?: MadeRows): AsyncIterable<ColumnBatch>;
  /**
   * Counts the rows that a plan finds by their day, in the order of the days and without those that
   * have none. Order, columns and page of the plan count for nothing. Ends and rejects as `scan`
   * does.
   */
  countByDay(plan: QueryPlan, signal: AbortSignal): Promise<readonly DayCount[]>;
  /**
   * A URL by which anybody gets the file from where parts lie, for about a minute; null: this file
   * has to be sent. Absent: parts lie where no client gets to.
   */
  directUrl?(file: DirectFile, clock: Clock): Promise<string | null>;
  /** Resolves when the engine answers the least of questions; rejects when it cannot. */
  check(): Promise<void>;
  /** Told of each worker of `text` that dies: its pages are left to the callers. */
  onWorkerDeath?: (error: Error) => void;
  /** A one-line warning about something to repair soon; null: none. */
  warning(): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * Rows of one dataset on their way into the lake: loaded in feed order, written out as parts.
 * Memory stays bounded whatever the number of rows.
 */
export interface PartWriter {
  append(batch: ColumnBatch): Promise<void>;
  /** Faster ways than `append`, where the engine has them. */
  readonly records?: RecordLoader;
  readonly parquet?: ParquetLoader;
  /** Keys of the partitions that the rows fall into, in natural order. */
  partitionKeys(): Promise<string[]>;
  /** Rows of one partition. */
  rowCount(key: string): Promise<number>;
  /**
   * Each date that rows have, in order, from `firstDate` on; each is asked for rows of these values
   * of the identifier, see `identifierColumn`.
   */
  dates(identifiers?: readonly string[]): Promise<readonly WrittenDate[]>;
  /** Gives the rows of a date from a moment on another one; resolves with their number. */
  redate(evening: Evening): Promise<number>;
  /** Compares a partition's rows with those it replaces; null: it replaces all. */
  compare(
    key: string,
    existing: Pick<Part, 'location' | 'storedColumns'>,
    removed: RemovedRows | null,
  ): Promise<PartComparison>;
  /**
   * Finds the rows that break each of the rules, in the order of the rules. Nothing may have been
   * written yet. The rows of `existing`, the parts that stay by their partition, take part in keys,
   * where only rows of the writer can be at fault.
   */
  check(
    rules: readonly CheckRule[],
    existing: ReadonlyMap<string, ExistingPart>,
  ): Promise<BrokenRows[]>;
  /**
   * Writes the rows of one partition to a new location, sorted in natural order, equal keys in feed
   * order. The rows of `existing` that stay, when it is given, come first among equal keys.
   */
  write(key: string, location: string, existing: ExistingPart | null): Promise<WrittenPart>;
  /** Resolves when the parts written so far outlast a crash of the machine. */
  flush(): Promise<void>;
  /** Drops the rows; the parts that were written stay. */
  close(): Promise<void>;
}

/** The end of a date that belongs to another one. */
export interface Evening {
  readonly date: string;
  /** The column by which rows are told to lie in it. */
  readonly timeColumn: string;
  /** UTC nanoseconds of its first moment. */
  readonly startNanos: bigint;
  readonly newDate: string;
}

/** A part whose rows another one takes over, all of them or some. */
export interface ExistingPart
  extends Pick<Part, 'location' | 'digest' | 'rowCount' | 'storedColumns'> {
  /** Rows to remove; absent: none. */
  readonly removed?: RemovedRows;
}

/** Rows that are of one of the dates and have one of the identifiers. */
export interface RemovedRows {
  /**
   * By the dataset's date column; `staged`: those that the writer's own rows of the partition have;
   * null: of any date and of none.
   */
  readonly dates: DateSpan | 'staged' | null;
  /**
   * Texts, of which a row has one in any of `namingColumns`; `staged`: those that the writer's
   * own rows of the partition have in the first one; null: any row.
   */
  readonly identifiers: readonly string[] | 'staged' | null;
}

/** Maximum number of identifiers, and of dates, in a comparison. */
export const SHOWN_LOSSES = 10;

/** A date of a writer's rows. */
export interface WrittenDate {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly rowCount: number;
  /** The identifiers in question that have no row on it. */
  readonly missing: readonly string[];
}

/** Rows of one date, or of none where a dataset has no dates, before and after. */
export interface DateRows {
  readonly date: string | null;
  readonly rowCountBefore: number;
  readonly rowCountAfter: number;
}

/** Losses of a partition if the writer's rows replace those of a part. */
export interface PartComparison {
  /** The writer's rows. */
  readonly rowCount: number;
  /** Rows that are removed. */
  readonly removedRowCount: number;
  /** Dates that they have and the writer's rows have not. */
  readonly lostDateCount: number;
  /** The first `SHOWN_LOSSES` of them, in order. */
  readonly lostDates: readonly string[];
  /** Identifiers that lose all rows on a date that the writer has. */
  readonly lostIdentifierCount: number;
  /** The first `SHOWN_LOSSES` of them, in order. */
  readonly lostIdentifiers: readonly string[];
  /** The first such date of the first of them; null: there is none. */
  readonly lostOnDate: string | null;
  /**
   * True if the part has each of the writer's rows already, as often, and nothing else would go: as
   * many rows do not stay as the writer has, or all stay by `removed`.
   */
  readonly isRepeated: boolean;
  /** The date with the largest loss; null: none loses rows. */
  readonly mostLost: DateRows | null;
}

/** True if every row of a part is kept, whatever the writer has. */
export function keepsAll(removed: RemovedRows | null): boolean {
  return removed?.identifiers?.length === 0;
}

/** A published part, as the watch for damage knows it. */
export type StoredPart = Pick<Part, 'location'> & Pick<WrittenPart, 'storedByteCount'>;

/** A text that is kept beside parts, and says whose they are. */
export interface PlaceMark {
  /** A name of this very place, which no copy of it has, as far as the storage can tell. */
  place(): Promise<string>;
  /** Null: there is none. */
  read(): Promise<string | null>;
  /** `isFirst`: does nothing where somebody else was quicker. */
  write(text: string, isFirst: boolean): Promise<void>;
}

export interface PartStorage extends StoredParts {
  /** Absent: no other store can have the parts. */
  readonly mark?: PlaceMark;
  /** Rejects with a `UsageError` if the storage cannot be used. */
  ready?(): Promise<void>;
  /** Time between two looks at all parts with `findDamage`, where that costs more than usual. */
  readonly damageLookMs?: number;
  /** A location that no part has ever had. The index notes it before anything is written there. */
  newLocation(dataset: Dataset, key: string): string;
  /**
   * Opens a writer without rows. Aborting the signal stops what the writer is doing, which then
   * rejects, as does everything but `close` after. `writersMax`: how many the caller has open at
   * once, which share the memory of one; 1 by default.
   */
  openWriter(dataset: Dataset, signal?: AbortSignal, writersMax?: number): Promise<PartWriter>;
  /** Removes what is at the locations, where there is anything. */
  remove(locations: readonly string[]): Promise<void>;
  /** Why a part cannot be read, for the operator; null: nothing is seen to be wrong with it. */
  findDamage(part: StoredPart): Promise<string | null>;
  /** Opens what reads rows of parts again, apart from the engine's reader of plans. */
  openRowsReader(): Promise<PartRowsReader>;
  /** Removes what writers left behind whose process died. */
  sweep(): Promise<void>;
  /** Closes what is kept open for the next writer. Absent: nothing is. */
  close?(): Promise<void>;
}

/** The options of every engine, to which it adds its own settings. */
export interface EngineConfig {
  readonly home: string;
  readonly queriesMax: number;
}

/** An engine, as its folder exports it. */
export interface Engine<Config extends EngineConfig = EngineConfig> {
  /** Gets a new home what the engine needs besides. Rejects with a `UsageError` where it cannot. */
  prepare?(config: Pick<Config, 'home'> & Partial<Config>): Promise<void>;
  openReader(config: Config): Promise<EngineReader>;
  /** Settings that are missing have their defaults. */
  openStorage(config: Pick<Config, 'home'> & Partial<Config>, tryLock: TryLock): PartStorage;
}

/** Maximum number of rows that are shown of those that break a rule. */
export const SHOWN_BROKEN_ROWS = 10;

export interface BrokenRow {
  /** Row number in the writer, from 0 in order of arrival. */
  readonly row: number;
  /** Values of the columns that the rule names. */
  readonly cells: readonly CellValue[];
  /** With keys: the number of the first row with the same key; null: a part that stays has it. */
  readonly twin?: number | null;
}

export interface BrokenRows {
  readonly rowCount: number;
  /** The first `SHOWN_BROKEN_ROWS`, in the order in which they came. */
  readonly rows: readonly BrokenRow[];
}

/** Characters that `String.trim` removes. */
export const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
  '\u2028\u2029\u202f\u205f\u3000\ufeff';

export interface DayCount {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly rowCount: number;
  /** Different values of the identifier; null where rows have none. */
  readonly identifierCount: number | null;
}

/** The column of a dataset's date; throws where it has none. */
export function countedDate({ datasetId, dateColumn, columnByName }: Dataset): Column {
  const column = columnByName.get(dateColumn ?? '');
  if (!column) throw new Error(`dataset ${datasetId} has no date`);
  return column;
}

/** The column whose values are counted; null: rows are about nothing that can be counted. */
export function countedIdentifier(dataset: Dataset): Column | null {
  const { identifierColumns, universeColumns, columnByName } = dataset;
  const [name = ''] = [...identifierColumns, ...universeColumns];
  const column = columnByName.get(name);
  return column?.dataType === 'string' || column?.dataType === 'integer' ? column : null;
}

/** A part as it has to be stored. */
export type DigestedPart = Pick<Part, 'location' | 'digest'>;

export interface StoredParts {
  /**
   * All locations in use, in no order: parts, and what processes left behind that died while
   * they wrote or copied some. What writers have for themselves is not among it.
   */
  locations(): AsyncIterable<string>;

  /**
   * Reads all that is stored of a part and tells its digest. Rejects where it cannot be read.
   * Aborting the signal ends the reading, which then rejects with its reason.
   */
  digestOf(location: string, signal?: AbortSignal): Promise<string>;

  /**
   * Copies all that is stored of a part to the same location in another home, where it can be found
   * only when it is whole, has its digest and outlasts a crash of the machine. What is there
   * already is replaced. Rejects with an `UnreadablePartError` where the part itself is damaged,
   * and with any other error where the copy cannot be written. Absent: the engine cannot.
   */
  copyTo?(part: DigestedPart, home: string, signal?: AbortSignal): Promise<void>;

  /**
   * The other way round: stores a part as it lies at the same location in another home, which keeps
   * it, and reads it again to compare its digest. What is there already is replaced. Rejects with
   * an `UnreadablePartError` where the part in that home is damaged, and with any other error where
   * it cannot be stored. Absent: the engine cannot.
   */
  takeFrom?(part: DigestedPart, home: string, signal?: AbortSignal): Promise<void>;
}

/** Rows as they can be read again. */
export interface RowsRead {
  readonly rowCount: number;
  /** See `content-digest.ts`. */
  readonly contentDigest: string;
}

/** Reads all rows of parts, one part after the other. */
export interface PartRowsReader {
  /**
   * Rejects with an error whose message is for the operator where they cannot be read. Aborting the
   * signal ends the reading, which then rejects with its reason. `identifierOrder` is null where
   * there is none.
   */
  read(
    part: Required<Pick<Part, 'location' | 'storedColumns'>>,
    signal: AbortSignal,
  ): Promise<{ readonly rows: RowsRead; readonly identifierOrder: RowsRead | null }>;
  close(): Promise<void>;
}
