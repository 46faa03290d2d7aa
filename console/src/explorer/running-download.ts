import { sleep } from '@ticklake/client/waiting.ts';
import { ApiFailure } from '../api/client';
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
  if (!isLarge || !picker) return memorySink(name, format);
  const { suffix, mediaType } = DOWNLOAD_KINDS[format];
  const extension = suffix.slice(suffix.lastIndexOf('.'));
  try {
    const file = await picker.call(window, {
      suggestedName: name,
      types: [{ description: suffix.slice(1), accept: { [mediaType]: [extension] } }],
    });
    return pickedSink(await file.createWritable());
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    return memorySink(name, format);
  }
}

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

export interface Download {
  readonly id: number;
  readonly order: DownloadOrder;
  readonly phase: 'waiting' | 'running' | 'failed' | 'done';
  readonly progress: Progress;
  /** Why it has failed. */
  readonly error: Error | null;
  readonly sink: FileSink;
  readonly abort: AbortController;
  /** Also for a download that is gone on with. */
  readonly pages: PinnedPages;
}

/** More would only share the connection, and accounts may ask for few things at once. */
const RUNNING_MAX = 2;
/** Failed ones count, too. */
const UNFINISHED_MAX = 10;

/** In the order in which they were asked for; they go on while other screens are shown. */
export const downloads = new Store<readonly Download[]>([]);
let lastId = 0;

function unfinished(all: readonly Download[]): readonly Download[] {
  return all.filter(({ phase }) => phase !== 'done');
}

export function isTrayFull(all: readonly Download[]): boolean {
  return unfinished(all).length >= UNFINISHED_MAX;
}

export function isLimited({ error }: Download): boolean {
  return error instanceof ApiFailure && error.status === 429;
}

/** Starts those that wait, but none after a limit was met: the person goes on with that one. */
function startNext(): void {
  const all = downloads.state();
  const running = all.filter(({ phase }) => phase === 'running');
  const next = all.find(({ phase }) => phase === 'waiting');
  if (next && running.length < RUNNING_MAX && !all.some(isLimited)) void walk(next);
}

function change(id: number, changes: Partial<Download>): void {
  const all = downloads.state();
  downloads.set(all.map((each) => (each.id === id ? { ...each, ...changes } : each)));
  startNext();
}

async function walk({ id, order, sink, abort, pages, progress: from }: Download): Promise<void> {
  const { signal } = abort;
  let reached = from;
  change(id, { phase: 'running' });
  try {
    const progress = await walkPages(from, {
      fetchPage: (offset) => {
        const page = { response_format: order.format, offset, limit: order.pageRows };
        return pages.read(order.request, page, signal);
      },
      format: order.format,
      ...{ sink, signal, wait: sleep },
      onProgress: (told) => {
        if (told.offset > reached.offset) reached = told;
        change(id, { progress: told });
      },
    });
    change(id, { phase: 'done', progress });
  } catch (error) {
    change(id, { phase: 'failed', progress: reached, error: error as Error });
  }
}

/** Without an id: all of them. */
export function endDownload(id?: number): void {
  const ended = (each: Download) => id === undefined || each.id === id;
  const all = downloads.state();
  downloads.set(all.filter((each) => !ended(each)));
  for (const { abort, sink, phase } of all.filter(ended)) {
    abort.abort();
    if (phase !== 'done') void sink.discard().catch(() => undefined);
  }
  startNext();
}

export async function startDownload(order: DownloadOrder): Promise<void> {
  const sink = await openSink(order.name, order.format, order.isLarge);
  if (sink === null) return;
  lastId += 1;
  const own = { id: lastId, order, sink, abort: new AbortController(), pages: new PinnedPages() };
  const all = downloads.state();
  const kept = all.length < UNFINISHED_MAX ? all : unfinished(all);
  downloads.set([...kept, { ...own, phase: 'waiting', progress: START, error: null }]);
  startNext();
}

/** A limit is the account's: whoever goes on after it goes on with all that it stopped. */
export function resumeDownload(id: number): void {
  const isResumed = (each: Download) => each.id === id || isLimited(each);
  const begun = { phase: 'waiting', error: null } as const;
  downloads.set(downloads.state().map((each) => (isResumed(each) ? { ...each, ...begun } : each)));
  startNext();
}
