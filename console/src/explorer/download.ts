import type { DataFormat } from '@ticklake/client';
import { JOINS } from '@ticklake/client/joined-pages.ts';
import { ApiFailure, ServerUnreachable } from '../api/client';
import { type DatasetShape, identifierColumns, rangeColumn } from './dataset-shape';
import type { ExplorerRequest } from './explorer-request';
import { nextOffsetOf } from './pinned-pages';

export type DownloadFormat = Exclude<DataFormat, 'json'>;

type Chunks = readonly Uint8Array<ArrayBuffer>[];

export interface FileSink {
  /** The next bytes of the file. */
  write(chunks: Chunks): Promise<void>;
  /** Only now there is a file that people see. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

interface DownloadKind {
  readonly suffix: string;
  readonly mediaType: string;
  /** The bytes of a page in the file. */
  readonly join: (page: Chunks, place: Place) => Promise<Chunks>;
  /** Rows are lines of this; null: they are counted by their pages alone. */
  readonly linesOf: ((page: Chunks) => Promise<Chunks>) | null;
  /** Rows of a page at most, held in memory while it comes; null: the service's maximum. */
  readonly pageRowsMax: number | null;
  /** Why an answer of several pages is no file of the format; null: it is one. */
  readonly onePageOnly: string | null;
}

async function unpacked(chunks: Chunks): Promise<Chunks> {
  const stream = new Blob([...chunks]).stream().pipeThrough(new DecompressionStream('gzip'));
  return Array.fromAsync(stream as AsyncIterable<Uint8Array<ArrayBuffer>>);
}

/** Arrow streams of one schema are one stream. */
async function joinedArrow(chunks: Chunks, place: Place): Promise<Chunks> {
  const page = new Uint8Array(await new Blob([...chunks]).arrayBuffer());
  return [JOINS.arrow(page, { ...place, isBegin: place.isFirst })];
}

const asItIs = async (chunks: Chunks) => chunks;

/** Pages that are packed become members of one gzip file. */
const TEXT = { join: asItIs, pageRowsMax: null, onePageOnly: null };

export const DOWNLOAD_KINDS: Readonly<Record<DownloadFormat, DownloadKind>> = {
  csv: { ...TEXT, suffix: '.csv', mediaType: 'text/csv', linesOf: asItIs },
  csv_gzip: { ...TEXT, suffix: '.csv.gz', mediaType: 'application/gzip', linesOf: unpacked },
  arrow: {
    ...{ suffix: '.arrows', mediaType: 'application/vnd.apache.arrow.stream' },
    ...{ join: joinedArrow, linesOf: null, pageRowsMax: 200_000, onePageOnly: null },
  },
  parquet: {
    ...{ suffix: '.parquet', mediaType: 'application/vnd.apache.parquet' },
    ...{ join: asItIs, linesOf: null, pageRowsMax: null },
    onePageOnly:
      'The rows do not fit into one Parquet file. Choose Arrow, ask for fewer rows, or fetch all files ' +
      'with ticklake mirror or a client',
  },
};

const CHARACTERS_MAX = 120;
const IDENTIFIERS_MAX = 3;

/** As part of a name, of characters that no system minds. */
function joined(words: readonly string[]): string {
  return words
    .filter(Boolean)
    .map((word) => word.replaceAll(/[^A-Za-z0-9.-]+/g, '_'))
    .join('_');
}

export function downloadName(
  { segments, parameters }: ExplorerRequest,
  shape: DatasetShape,
  format: DownloadFormat,
): string {
  const valuesOf = (...names: string[]) =>
    parameters.flatMap(({ name, value }) => (names.includes(name) ? value.split(',') : []));
  const { text = null, integer = null } = identifierColumns(shape) ?? {};
  const columns = [text, integer, shape.root_column].filter((name) => name !== null);
  const identifiers = valuesOf(...columns.flatMap((name) => [name, `${name}.in`])).sort();
  const more = identifiers.length - IDENTIFIERS_MAX;
  const named = identifiers.slice(0, IDENTIFIERS_MAX);
  const head = joined([...segments.slice(1), ...named, more > 0 ? `and_${more}_more` : '']);
  const date = rangeColumn(shape) ?? '';
  const [from = ''] = valuesOf(`${date}.ge`);
  const [to = ''] = valuesOf(`${date}.le`);
  const range = to === '' ? [from && `from_${from}`] : [from || 'to', to];
  const tail = joined([...valuesOf(date).slice(0, 1), ...range]);
  const room = CHARACTERS_MAX - (tail === '' ? 0 : tail.length + 1);
  const name = joined([head.slice(0, room), tail]).slice(0, CHARACTERS_MAX);
  return `${name}${DOWNLOAD_KINDS[format].suffix}`;
}

export interface Progress {
  readonly offset: number;
  /** Null where the format does not tell how many rows its last page has. */
  readonly rows: number | null;
  readonly bytes: number;
  /** Why and until when nothing is asked; null while pages come. */
  readonly pause: { readonly reason: string; readonly seconds: number } | null;
}

interface WalkOptions {
  readonly fetchPage: (offset: number, signal: AbortSignal) => Promise<Response>;
  readonly format: DownloadFormat;
  readonly sink: FileSink;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export const START: Progress = { offset: 0, rows: 0, bytes: 0, pause: null };

const BUSY = 503;
const PAUSES_S = [2, 5, 15, 30, 60];

/** A request that a limit refused would be counted again: only the person goes on with it. */
function isWorthWaiting(error: unknown): boolean {
  if (error instanceof ServerUnreachable) return true;
  return error instanceof ApiFailure && error.status === BUSY;
}

const LINE_FEED = 10;
const QUOTE = 34;

/** Rows in the chunks of a page: line feeds outside of quotes. `hasHeader`: one line is no row. */
export function rowsOf(chunks: Chunks, hasHeader: boolean): number {
  let isQuoted = false;
  let lines = 0;
  for (const chunk of chunks) {
    for (const byte of chunk) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_FEED && !isQuoted) lines += 1;
    }
  }
  return Math.max(0, lines - (hasHeader ? 1 : 0));
}

async function chunksOf(
  response: Response,
  onBytes: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part?.value) return chunks;
    chunks.push(part.value);
    onBytes(part.value.byteLength);
  }
}

interface ReadPage {
  readonly chunks: Chunks;
  readonly bytes: number;
  readonly nextOffset: number | null;
}

async function readPage(from: Progress, options: WalkOptions): Promise<ReadPage> {
  const response = await options.fetchPage(from.offset, options.signal);
  const nextOffset = nextOffsetOf(response);
  const { onePageOnly } = DOWNLOAD_KINDS[options.format];
  if (onePageOnly !== null && nextOffset !== null) {
    await response.body?.cancel();
    throw new Error(onePageOnly);
  }
  let bytes = 0;
  try {
    const chunks = await chunksOf(response, (more) => {
      bytes += more;
      options.onProgress({ ...from, bytes: from.bytes + bytes });
    });
    return { chunks, bytes, nextOffset };
  } catch (error) {
    if (options.signal.aborted) throw error;
    throw new ServerUnreachable({ cause: error });
  }
}

async function readPatiently(from: Progress, options: WalkOptions): Promise<ReadPage> {
  for (const seconds of PAUSES_S) {
    try {
      return await readPage(from, options);
    } catch (error) {
      if (options.signal.aborted || !isWorthWaiting(error)) throw error;
      const reason = (error as Error).message;
      options.onProgress({ ...from, pause: { reason, seconds } });
      await options.wait(seconds * 1000, options.signal);
      options.onProgress(from);
    }
  }
  return readPage(from, options);
}

/**
 * Walks the pages from `from` to the end and finishes the file. Throws what a page failed with, or
 * the sink; the last progress that was told with whole pages is where to go on from.
 */
export async function walkPages(from: Progress, options: WalkOptions): Promise<Progress> {
  const kind = DOWNLOAD_KINDS[options.format];
  const lastRows = async (page: Chunks, isFirst: boolean) =>
    kind.linesOf && rowsOf(await kind.linesOf(page), isFirst);
  let progress: Progress = { ...from, pause: null };
  for (;;) {
    const { chunks, bytes, nextOffset } = await readPatiently(progress, options);
    const isFirst = progress.offset === 0;
    // Before it is written: a page that cannot be read is asked for anew.
    const rows =
      nextOffset === null ? await lastRows(chunks, isFirst) : nextOffset - progress.offset;
    await options.sink.write(await kind.join(chunks, { isFirst, isLast: nextOffset === null }));
    progress = {
      offset: nextOffset ?? progress.offset + (rows ?? 0),
      rows: rows === null || progress.rows === null ? null : progress.rows + rows,
      bytes: progress.bytes + bytes,
      pause: null,
    };
    options.onProgress(progress);
    if (nextOffset === null) break;
  }
  // A sink that was discarded would finish a file without its beginning.
  options.signal.throwIfAborted();
  await options.sink.finish();
  return progress;
}
