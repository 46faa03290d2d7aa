import { useCallback, useEffect, useRef, useState } from 'react';
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
  let parts: Blob[] = [];
  const { mediaType } = DOWNLOAD_KINDS[format];
  return {
    write: async (chunks) => {
      parts.push(new Blob([...chunks]));
    },
    finish: async () => {
      saveBlob(new Blob(parts, { type: mediaType }), name);
      parts = [];
    },
    discard: async () => {
      parts = [];
    },
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
  | { readonly phase: 'running'; readonly progress: Progress }
  | { readonly phase: 'failed'; readonly progress: Progress; readonly error: Error }
  | { readonly phase: 'done'; readonly progress: Progress; readonly name: string };

interface DownloadOrder {
  readonly request: ExplorerRequest;
  readonly format: DownloadFormat;
  readonly name: string;
  readonly pageRows: number;
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
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export function useDownload() {
  const [state, setState] = useState<DownloadState>({ phase: 'idle' });
  const job = useRef<Job | null>(null);

  const walk = async (current: Job, from: Progress) => {
    const { order, sink, abort, pages } = current;
    let reached = from;
    setState({ phase: 'running', progress: from });
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
          if (!abort.signal.aborted) setState({ phase: 'running', progress: told });
        },
        wait,
      });
      setState({ phase: 'done', progress, name: order.name });
      job.current = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      setState({ phase: 'failed', progress: reached, error: error as Error });
    }
  };

  const giveUp = useCallback(() => {
    job.current?.abort.abort();
    void job.current?.sink.discard().catch(() => undefined);
    job.current = null;
  }, []);
  const cancel = () => {
    giveUp();
    setState({ phase: 'idle' });
  };

  const start = async (order: DownloadOrder) => {
    const sink = await openSink(order.name, order.format, order.isLarge);
    if (sink === null) return;
    job.current = { order, sink, abort: new AbortController(), pages: new PinnedPages() };
    await walk(job.current, START);
  };

  const resume = () => {
    if (state.phase === 'failed' && job.current) void walk(job.current, state.progress);
  };

  // Whoever leaves the screen gives the download up.
  useEffect(() => giveUp, [giveUp]);
  return { state, start: (order: DownloadOrder) => void start(order), cancel, resume };
}
