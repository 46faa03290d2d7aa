/** Stored rows as the index knows them: what plans prune by, and what engines read. */

/** A value as bounds hold it: date as `YYYY-MM-DD`, integer and date-time (UTC ns) as bigint. */
export type BoundValue = string | number | bigint;

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

export interface Partition {
  /** `2026-11-18`, `2026-11`, `2026` or `all`, by the dataset's partition unit. */
  readonly key: string;
  /** Absolute path of the immutable file. */
  readonly file: string;
  readonly rowCount: number;
  readonly byteCount: number;
}

export interface PartitionFile {
  readonly rowCount: number;
  /** Stored bytes of its row groups. */
  readonly byteCount: number;
  /** Size of the file, which also says where its row groups lie. */
  readonly fileByteCount: number;
  /** In file order; their rows add up to the file's. */
  readonly rowGroups: readonly RowGroup[];
}
