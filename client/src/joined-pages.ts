/** Pages of one format, put together to one body. */
import { IntegrityError, TicklakeError } from './errors.ts';

type Bytes = Uint8Array<ArrayBuffer>;

interface Place {
  /** The first page of all requests. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The first page of its request. */
  readonly isBegin: boolean;
}

/** How the pages of a format become one body: what there is of a page in it. */
export type Join = (page: Bytes, place: Place) => Bytes;

export const ARROW_END: readonly number[] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
export const PREFIX_BYTES = 8;

/** Throws an IntegrityError where the bytes do not end as a stream does. */
export function requireArrowEnd(page: Bytes): void {
  const end = page.subarray(-ARROW_END.length);
  if (end.length === ARROW_END.length && ARROW_END.every((byte, i) => end[i] === byte)) return;
  throw new IntegrityError('An Arrow stream ends without its end mark');
}

/** Bytes of the first message, the schema, which has no body. */
export function schemaBytes(page: Bytes): number {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  return PREFIX_BYTES + view.getInt32(4, true);
}

/** Arrow streams of one schema are one stream: the schema of the first, and the end of the last. */
const joinArrow: Join = (page, { isFirst, isLast }) => {
  requireArrowEnd(page);
  return page.subarray(
    isFirst ? 0 : schemaBytes(page),
    page.length - (isLast ? 0 : ARROW_END.length),
  );
};

/** The footer of a Parquet file is that of one page. */
const onlyPage: Join = (page, { isFirst, isLast }) => {
  if (isFirst && isLast) return page;
  throw new TicklakeError('The rows are more than one Parquet file: read them with files()');
};

const asItIs: Join = (page) => page;

const LINE_END = 10;

/** The first page of each request has a header line. */
const joinCsv: Join = (page, { isFirst, isBegin }) =>
  isBegin && !isFirst ? page.subarray(page.indexOf(LINE_END) + 1) : page;

export const JOINS = {
  csv: joinCsv,
  /** Members of one gzip file. */
  csv_gzip: asItIs,
  arrow: joinArrow,
  parquet: onlyPage,
} as const satisfies Readonly<Record<string, Join>>;

/** A format whose bytes can be asked for. */
export type BytesFormat = keyof typeof JOINS;

/** The formats in which the answers of several requests can be one body. */
export const JOINED_WALKS: readonly BytesFormat[] = ['arrow', 'csv'];
