/** Stored rows as the index knows them: what plans prune by, and what engines read. */
import type { Column } from '../catalog/dataset.ts';

/**
 * A value as bounds hold it: date as `YYYY-MM-DD`, integer, date-time (UTC ns) and decimal (in
 * units of its last digit) as bigint.
 */
export type BoundValue = string | number | bigint | boolean;

export interface ColumnBounds {
  /** Least and greatest value that is not null; both null where every value is null. */
  readonly min: BoundValue | null;
  readonly max: BoundValue | null;
}

export interface RowGroup {
  readonly rowCount: number;
  /** Stored bytes of all its columns. */
  readonly byteCount: number;
  /** For each indexed column (sort keys and identifiers). */
  readonly bounds: Readonly<Record<string, ColumnBounds>>;
}

/** A column as a part stores it, and what of its dataset's definition went into its rows. */
export interface StoredColumn extends Pick<Column, 'name' | 'dataType' | 'precision' | 'scale'> {
  /** Position in the sort key; absent: not part of it. */
  readonly sortKey?: number;
  /** For times: digits after the second, and the market's zone. */
  readonly fractionDigits?: number;
  readonly timeZone?: string;
}

/** Immutable rows of one partition, in natural order. */
export interface Part {
  /** Number in the index, never reused. */
  readonly id: number;
  /** `2026-11-18`, `2026-11`, `2026` or `all`, by the dataset's partition unit. */
  readonly key: string;
  /** Location in storage; only the engine that wrote the part understands this. */
  readonly location: string;
  /** Digest of what is stored, 64 digits in hexadecimal: equal digests are equal rows. */
  readonly digest: string;
  /** Digest of its rows, see `content-digest.ts`; undefined where nobody has computed it. */
  readonly contentDigest?: string;
  readonly rowCount: number;
  /** Stored bytes of its row groups. */
  readonly byteCount: number;
  /** Last value of the dataset's date column; null or absent: it has none. */
  readonly lastDate?: string | null;
  /** The columns that it was written with; absent: those that its dataset has. */
  readonly storedColumns?: readonly StoredColumn[];
}

/** Rows from `start` up to, not with, `end`, by their number from 0. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/** A part, as its writer describes it. */
export interface WrittenPart
  extends Omit<Part, 'id' | 'key' | 'location' | 'lastDate' | 'storedColumns'> {
  /** In natural order; their rows add up to the part's. */
  readonly rowGroups: readonly RowGroup[];
  /**
   * The row groups of its identifier order: the same rows once more, by the column that the dataset
   * is also stored by, nulls last, then in natural order. Absent where the engine keeps none.
   */
  readonly identifierOrder?: readonly RowGroup[];
  /** All that is stored of it, which also says where its row groups lie. */
  readonly storedByteCount: number;
  /** Digest of its rows, see `content-digest.ts`: equal in every engine and format. */
  readonly contentDigest: string;
}
