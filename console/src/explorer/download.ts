/**
 * All rows of a query as one file. Pages are fetched one after the other and written only when they
 * are whole, so that a walk that was broken off can be gone on with where it stopped. The service
 * writes the header line on the first page alone, so the pages put together are one proper file.
 * Compressed pages are opened and packed again as one, as not all readers of gzip look past the end
 * of a first part. Arrow streams are joined to one, and a Parquet file is one page.
 */
import { ApiFailure, isMonthlyLimit, ServerUnreachable } from '../api/api-failure';
import { type Chunks, DOWNLOAD_KINDS, type DownloadFormat } from './download-format';
import type { FileSink } from './file-sink';

export interface Progress {
  readonly offset: number;
  /** Null where the format does not tell how many rows its last page has. */
  readonly rows: number | null;
  /** That the service sent. */
  readonly bytes: number;
  /** Why and until when nothing is asked; null while pages come. */
  readonly pause: { readonly reason: string; readonly seconds: number } | null;
}

export interface WalkOptions {
  /** The response of the page from `offset` on. */
  readonly fetchPage: (offset: number, signal: AbortSignal) => Promise<Response>;
  readonly format: DownloadFormat;
  readonly sink: FileSink;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Resolves after so many milliseconds; rejects when the signal ends. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export const START: Progress = { offset: 0, rows: 0, bytes: 0, pause: null };

const BUSY_STATUSES: readonly number[] = [429, 503];
const PAUSES_S = [2, 5, 15, 30, 60];

/** A limit of the month or a refusal does not end by waiting; a busy minute does. */
function isWorthWaiting(error: unknown): boolean {
  if (error instanceof ServerUnreachable) return true;
  return (
    error instanceof ApiFailure && BUSY_STATUSES.includes(error.status) && !isMonthlyLimit(error)
  );
}

const LINE_FEED = 10;
const QUOTE = 34;

/** Counts rows: line feeds outside of quotes, over the chunks of a page. */
export class RowCounter {
  #isQuoted = false;
  #lines = 0;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_FEED && !this.#isQuoted) this.#lines += 1;
    }
  }

  /** `hasHeader`: one of the lines is no row. */
  rows(hasHeader: boolean): number {
    return Math.max(0, this.#lines - (hasHeader ? 1 : 0));
  }
}

function rowsOf(chunks: Chunks, hasHeader: boolean): number {
  const counter = new RowCounter();
  for (const chunk of chunks) counter.add(chunk);
  return counter.rows(hasHeader);
}

/** The chunks of a body, told of as they come. */
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
  const next = response.headers.get('X-Pagination-Next-Offset') ?? '';
  const { onePageOnly } = DOWNLOAD_KINDS[options.format];
  if (onePageOnly !== null && next !== '') {
    await response.body?.cancel();
    throw new Error(onePageOnly);
  }
  let bytes = 0;
  try {
    const chunks = await chunksOf(response, (more) => {
      bytes += more;
      options.onProgress({ ...from, bytes: from.bytes + bytes });
    });
    return { chunks, bytes, nextOffset: next === '' ? null : Number(next) };
  } catch (error) {
    if (options.signal.aborted) throw error;
    throw new ServerUnreachable({ cause: error });
  }
}

/** The page, after as many pauses as it takes while the service is busy. */
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
  const lastRows = (chunks: Chunks, isFirst: boolean) =>
    kind.hasLines ? rowsOf(chunks, isFirst) : null;
  let progress: Progress = { ...from, pause: null };
  for (;;) {
    const { chunks, bytes, nextOffset } = await readPatiently(progress, options);
    const isFirst = progress.offset === 0;
    const joined = await kind.join(chunks, { isFirst, isLast: nextOffset === null });
    await options.sink.write(joined);
    const rows = nextOffset === null ? lastRows(joined, isFirst) : nextOffset - progress.offset;
    progress = {
      offset: nextOffset ?? progress.offset + (rows ?? 0),
      rows: rows === null || progress.rows === null ? null : progress.rows + rows,
      bytes: progress.bytes + bytes,
      pause: null,
    };
    options.onProgress(progress);
    if (nextOffset === null) break;
  }
  await options.sink.finish();
  return progress;
}
