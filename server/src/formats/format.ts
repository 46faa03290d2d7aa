/** A format of answers: everything that the rest of the service needs to know about it. */
import type { Column } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { TimeZone } from '../time/time-zone.ts';

/** The page, as far as a format has to know it. */
export interface PageFrame {
  readonly columns: readonly Column[];
  readonly timeZone: TimeZone;
  readonly offset: number;
  readonly limit: number;
}

export interface WrittenPage {
  readonly body: Buffer;
  readonly rowCount: number;
  /** Offset of the next page; null on the last one. */
  readonly nextOffset: number | null;
}

type Schema = Readonly<Record<string, unknown>>;

export interface Format {
  /** As `response_format` has it. */
  readonly name: string;
  readonly contentType: string;
  /** Ends the name that is suggested for a download; null: no name is suggested. */
  readonly fileSuffix: string | null;
  readonly rowLimits: { readonly default: number; readonly max: number };
  /** Where a client finds the limit and the offsets. */
  readonly pagination: 'in the body' | 'in headers';
  /** Weak where bytes, but not their meaning, are also up to something else than the page. */
  readonly tagStrength: 'strong' | 'weak';
  /** Schema of a body. `page` is that of rows and pagination as JSON. */
  readonly bodySchema: (page: Schema) => Schema;
  /** Writes up to `limit` rows; one row more tells that a next page exists. */
  readonly write: (rows: AsyncIterable<ColumnBatch>, frame: PageFrame) => Promise<WrittenPage>;
}
