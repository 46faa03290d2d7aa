/** Files that are read in pieces for as long as they are open. */
import { type FileHandle, open } from 'node:fs/promises';

/** Read at once: far fewer turns than the usual 64 KiB, which halves the time of a large file. */
export const STEP_BYTES = 1_048_576;

/** Bytes in memory of a file that is sent to nobody: the step on its way, and the one after it. */
export const STREAM_BYTES_MAX = 2 * STEP_BYTES;

export interface OpenedFile {
  /** The bytes from `start` up to, not with, `end`. Fails where the file ends before. */
  chunks(start: number, end: number): AsyncIterable<Buffer>;
  /** The same; each chunk is good until the next one is asked for. Absent: there is nothing to gain by it. */
  lentChunks?(start: number, end: number): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Opens the file of a name. */
export type OpenFile = (file: string) => Promise<OpenedFile>;

/** The error of a file that is shorter than it has to be. */
export function endsEarly(file: string, end: number): Error {
  return new Error(`${file} ends before byte ${end}`);
}

class LocalFile implements OpenedFile {
  readonly #path: string;
  readonly #handle: FileHandle;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async *chunks(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const bytes = await this.#read(newStep(end - at), at, end);
      at += bytes.length;
      yield bytes;
    }
  }

  /**
   * Reads one step ahead of what is sent, and into the same two buffers: memory that is new for each step takes
   * the system as long as the bytes themselves.
   */
  async *lentChunks(start: number, end: number): AsyncGenerator<Buffer> {
    if (start >= end) return;
    let [buffer, other] = [newStep(end - start), newStep(end - start)];
    let next = this.#read(buffer, start, end);
    // It may fail while nobody waits for it; whoever asks for the next chunk is told.
    const readOn = (at: number) => {
      next = this.#read(buffer.subarray(0, end - at), at, end);
      next.catch(() => undefined);
    };
    try {
      for (let at = start; at < end; ) {
        const bytes = await next;
        at += bytes.length;
        [buffer, other] = [other, buffer];
        if (at < end) readOn(at);
        yield bytes;
      }
    } finally {
      // The file must not be closed while it is read.
      await next.catch(() => undefined);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** As much as fits into the buffer. */
  async #read(buffer: Buffer, at: number, end: number): Promise<Buffer> {
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, at);
    // A body that ends early would look whole to whoever counts on its end alone.
    if (bytesRead === 0) throw endsEarly(this.#path, end);
    return bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
  }
}

function newStep(byteCountMax: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.min(STEP_BYTES, byteCountMax));
}

/** Opens a file by its path: it stays what it is until it is closed, even if its name goes. */
export async function openLocalFile(path: string): Promise<OpenedFile> {
  return new LocalFile(path, await open(path));
}
