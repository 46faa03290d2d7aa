/** Stored parts: copied, compared, read again, and swept. */
import type { Part } from './part.ts';

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
   * and with any other error where the copy cannot be written.
   */
  copyTo(part: DigestedPart, home: string, signal?: AbortSignal): Promise<void>;

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

export interface PartRows {
  readonly rows: RowsRead;
  /** The rows of its identifier order; null: it has none. */
  readonly identifierOrder: RowsRead | null;
}

/** Reads all rows of parts, one part after the other. */
export interface PartRowsReader {
  /**
   * Rejects with an error whose message is for the operator where they cannot be read. Aborting the
   * signal ends the reading, which then rejects with its reason.
   */
  read(
    part: Required<Pick<Part, 'location' | 'storedColumns'>>,
    signal: AbortSignal,
  ): Promise<PartRows>;
  close(): Promise<void>;
}
