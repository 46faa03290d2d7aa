/** A format of answers: everything that the rest of the service needs to know about it. */
import type { Spool } from '../base/spool.ts';
import type { StoredBytes } from '../base/stored-bytes.ts';
import type { UnfinishedBytes } from '../base/unfinished-bytes.ts';
import type { Column } from '../catalog/dataset.ts';
import type { RowSource } from '../engine/row-source.ts';
import type { TimeZone } from '../time/time-zone.ts';
import type { FormatSettings, RowLimits } from './settings.ts';

export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

/** The page, as far as a format has to know it. */
export interface PageFrame extends PageRange {
  readonly columns: readonly Column[];
  readonly timeZone: TimeZone;
  /** True if most texts repeat. All pages of a dataset agree on it. */
  readonly textRepeats: boolean;
  /** Metadata for formats that have a place for it. */
  readonly labels: Readonly<Record<string, string>>;
  /** Takes bodies that are too large for memory. */
  readonly spool: Spool;
}

/** In memory; a large one in files, until it is sent. */
export type PageBody = Buffer | StoredBytes;

export interface WrittenPage<Body = PageBody> {
  readonly body: Body;
  readonly rowCount: number;
  /** Offset of the next page; null on the last one. */
  readonly nextOffset: number | null;
}

/** By their names in `Content-Encoding`. */
export type ContentEncoding = 'zstd' | 'gzip';

type Schema = Readonly<Record<string, unknown>>;

export interface Format {
  /** As `response_format` has it. */
  readonly name: string;
  /** As the parameter has it: integers and decimals of rows are texts; absent: they are numbers. */
  readonly numbers?: 'string';
  readonly contentType: string;
  /** Ends the name that is suggested for a download; null: no name is suggested. */
  readonly fileSuffix: string | null;
  readonly rowLimits: (settings: FormatSettings) => RowLimits;
  /** Place of the limit and the offsets. */
  readonly pagination: 'in the body' | 'in headers';
  /** Content encodings, the best first. */
  readonly encodings: readonly ContentEncoding[];
  /** True if bodies have columns one after the other, and the labels of their rows. */
  readonly isColumnar: boolean;
  /** Weak where bytes, but not their meaning, are also up to something else than the page. */
  readonly tagStrength: 'strong' | 'weak';
  /** Schema of a body. `page` is that of rows and pagination as JSON. */
  readonly bodySchema: (page: Schema) => Schema;
  /** Writes up to `limit` rows, which it asks of the source in the form that it needs. */
  readonly write: (source: RowSource, frame: PageFrame) => Promise<WrittenPage>;
  /** Like `write`, but may send the body while writing it; absent: never. */
  readonly writeEarly?: (
    source: RowSource,
    frame: PageFrame,
  ) => Promise<WrittenPage | WrittenPage<UnfinishedBytes>>;
}
