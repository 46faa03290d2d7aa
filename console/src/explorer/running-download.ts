import { Store } from '../api/store';
import { saveBlob } from '../ui/save-file';
import {
  DOWNLOAD_KINDS,
  type DownloadFormat,
  type FileSink,
  type Progress,
  START,
  walkPages,
} from './download';
import type { ExplorerRequest } from './explorer-request';
import { PinnedPages } from './pinned-pages';

/** Chromium's; other browsers have none. */
type FilePicker = (options: {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}) => Promise<FileSystemFileHandle>;

/** Keeps the pages in the browser and hands the whole file over at the end. */
function memorySink(name: string, format: DownloadFormat): FileSink {
  const parts: Blob[] = [];
  const { mediaType } = DOWNLOAD_KINDS[format];
  return {
    write: async (chunks) => void parts.push(new Blob([...chunks])),
    finish: async () => saveBlob(new Blob(parts.splice(0), { type: mediaType }), name),
    discard: async () => void parts.splice(0),
  };
}

/** Writes to a file that the browser puts in its place only when it is finished. */
function pickedSink(file: FileSystemWritableFileStream): FileSink {
  return {
    write: (chunks) => file.write(new Blob([...chunks])),
    finish: () => file.close(),
    discard: () => file.abort(),
  };
}

/** Packs what is written as one gzip file. */
export function gzipped(sink: FileSink): FileSink {
  const packer = new CompressionStream('gzip');
  const writer = packer.writable.getWriter();
  const packed = (async () => {
    const reader = packer.readable.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      await sink.write([value as Uint8Array<ArrayBuffer>]);
    }
  })();
  // A failure is met by the next write or by finishing.
  packed.catch((error) => writer.abort(error));
  return {
    write: async (chunks) => {
      for (const chunk of chunks) await writer.write(chunk);
    },
    finish: async () => {
      await writer.close();
      await packed;
      await sink.finish();
    },
    discard: async () => {
      await writer.abort().catch(() => undefined);
      await sink.discard();
    },
  };
}

/**
 * Asks where to put the file if it is `large` and the browser can stream to disk; else it is kept
 * in memory. Null where the person chose no place.
 */
async function openSink(
  name: string,
  format: DownloadFormat,
  isLarge: boolean,
): Promise<FileSink | null> {
  const picker = (window as { showSaveFilePicker?: FilePicker }).showSaveFilePicker;
  const packed = (sink: FileSink) => (DOWNLOAD_KINDS[format].isPacked ? gzipped(sink) : sink);
  if (!isLarge || !picker) return packed(memorySink(name, format));
  const { suffix, mediaType } = DOWNLOAD_KINDS[format];
  const extension = suffix.slice(suffix.lastIndexOf('.'));
  try {
    const file = await picker.call(window, {
      suggestedName: name,
      types: [{ description: suffix.slice(1), accept: { [mediaType]: [extension] } }],
    });
    return packed(pickedSink(await file.createWritable()));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    return packed(memorySink(name, format));
  }
}

export type DownloadState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly progress: Progress; readonly order: DownloadOrder }
  | { readonly phase: 'failed'; readonly progress: Progress; readonly error: Error }
  | { readonly phase: 'done'; readonly progress: Progress; readonly name: string };

interface DownloadOrder {
  readonly request: ExplorerRequest;
  readonly format: DownloadFormat;
  readonly name: string;
  readonly pageRows: number;
  /** Rows that there are at most; null where it is not known. */
  readonly rowCountMax: number | null;
  /** Too much to be kept in memory if there is another way. */
  readonly isLarge: boolean;
}

interface Job {
  readonly order: DownloadOrder;
  readonly sink: FileSink;
  readonly abort: AbortController;
  /** Also for a download that is gone on with. */
  readonly pages: PinnedPages;
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** One at a time, which goes on while other screens are shown. */
export const download = new Store<DownloadState>({ phase: 'idle' });
let job: Job | null = null;

async function walk({ order, sink, abort, pages }: Job, from: Progress): Promise<void> {
  let reached = from;
  download.set({ phase: 'running', progress: from, order });
  try {
    const progress = await walkPages(from, {
      fetchPage: (offset, signal) => {
        const page = { response_format: order.format, offset, limit: order.pageRows };
        return pages.read(order.request, page, signal);
      },
      format: order.format,
      sink,
      signal: abort.signal,
      onProgress: (told) => {
        if (told.offset > reached.offset) reached = told;
        if (!abort.signal.aborted) download.set({ phase: 'running', progress: told, order });
      },
      wait,
    });
    if (abort.signal.aborted) return;
    job = null;
    download.set({ phase: 'done', progress, name: order.name });
  } catch (error) {
    if (abort.signal.aborted) return;
    download.set({ phase: 'failed', progress: reached, error: error as Error });
  }
}

export function endDownload(): void {
  job?.abort.abort();
  void job?.sink.discard().catch(() => undefined);
  job = null;
  download.set({ phase: 'idle' });
}

export async function startDownload(order: DownloadOrder): Promise<void> {
  const sink = await openSink(order.name, order.format, order.isLarge);
  if (sink === null) return;
  job = { order, sink, abort: new AbortController(), pages: new PinnedPages() };
  await walk(job, START);
}

export function resumeDownload(): void {
  const state = download.state();
  if (state.phase === 'failed' && job) void walk(job, state.progress);
}
