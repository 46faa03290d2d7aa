/** Where a download is written to. */

import { saveBlob } from '../ui/save-file';
import { type Chunks, DOWNLOAD_KINDS, type DownloadFormat } from './download-format';

export interface FileSink {
  /** What comes next in the file, before it is packed. */
  write(chunks: Chunks): Promise<void>;
  /** Only now there is a file that people see. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

interface WritableFile {
  write(data: Blob): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

interface PickedFile {
  createWritable(): Promise<WritableFile>;
}

/** Chromium's; other browsers have none. */
type FilePicker = (options: {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}) => Promise<PickedFile>;

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
function pickedSink(file: WritableFile): FileSink {
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
 * Asks where to put the file if it is `large` and the browser can stream to disk; else it is kept in
 * memory. Null where the person chose no place.
 */
export async function openSink(
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
