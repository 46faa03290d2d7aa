/** Bytes that lie in stretches of files and of memory, and are read when they are sent. */
import { createHash, hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Read at once: far fewer turns than the usual 64 KiB, which halves the time of a large file. */
export const STEP_BYTES = 1_048_576;

/** Bytes in memory of a file that is sent to nobody: the step on its way, and the one after it. */
export const STREAM_BYTES_MAX = 2 * STEP_BYTES;

export interface OpenedFile {
  /** The bytes from `start` up to, not with, `end`. Fails where the file ends before. */
  chunks(start: number, end: number): AsyncIterable<Buffer>;
  /** As `stream`, but each chunk is valid only until the next; absent if that saves nothing. */
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
   * Reads one step ahead of what is sent, and into the same two buffers: memory that is new for
   * each step takes the system as long as the bytes themselves.
   */
  async *lentChunks(start: number, end: number): AsyncGenerator<Buffer> {
    if (start >= end) return;
    let [buffer, other] = [newStep(end - start), newStep(end - start)];
    let next = this.#read(buffer, start, end);
    // Reading ahead may fail before anybody waits for the chunk; the next caller gets the error.
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

/** From byte `start` of a file up to, not with, `end`. */
export interface FileStretch {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** Absent: the file is a path. */
  readonly open?: OpenFile | undefined;
}

/** In memory, or in a file. */
export type Stretch = { readonly bytes: Buffer } | FileStretch;

function lengthOf(stretch: Stretch): number {
  return 'bytes' in stretch ? stretch.bytes.length : stretch.end - stretch.start;
}

/** The stretches that lie from `start` to `end`, cut to them. */
function cut(stretches: readonly Stretch[], start: number, end: number): Stretch[] {
  const found: Stretch[] = [];
  let at = 0;
  for (const stretch of stretches) {
    const length = lengthOf(stretch);
    const from = Math.max(0, start - at);
    const to = Math.min(length, end - at);
    at += length;
    if (from >= to) continue;
    found.push(
      'bytes' in stretch
        ? { bytes: stretch.bytes.subarray(from, to) }
        : { ...stretch, start: stretch.start + from, end: stretch.start + to },
    );
  }
  return found;
}

/** Opens all files before the first byte is read, so that none can go meanwhile. */
async function openFiles(stretches: readonly Stretch[]): Promise<Map<string, OpenedFile>> {
  const files = new Map<string, OpenedFile>();
  try {
    for (const stretch of stretches) {
      if ('bytes' in stretch || files.has(stretch.file)) continue;
      const { file, open = openLocalFile } = stretch;
      files.set(file, await open(file));
    }
  } catch (error) {
    await closeFiles(files);
    throw error;
  }
  return files;
}

async function closeFiles(files: ReadonlyMap<string, OpenedFile>): Promise<void> {
  await Promise.all([...files.values()].map((file) => file.close()));
}

type ReadFile = (file: OpenedFile, start: number, end: number) => AsyncIterable<Buffer>;

const given: ReadFile = (file, start, end) => file.chunks(start, end);
const lent: ReadFile = (file, start, end) =>
  file.lentChunks?.(start, end) ?? file.chunks(start, end);

function* steps(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += STEP_BYTES) yield bytes.subarray(at, at + STEP_BYTES);
}

async function* readStretches(
  stretches: readonly Stretch[],
  readFile: ReadFile,
): AsyncGenerator<Buffer> {
  const files = await openFiles(stretches);
  try {
    for (const stretch of stretches) {
      if ('bytes' in stretch) yield* steps(stretch.bytes);
      else yield* readFile(files.get(stretch.file) as OpenedFile, stretch.start, stretch.end);
    }
  } finally {
    await closeFiles(files);
  }
}

export class StoredBytes {
  readonly byteCount: number;
  readonly stretches: readonly Stretch[];
  /** True if some of its files were made for these bytes alone. */
  readonly isTemporary: boolean;
  readonly #release: () => void;
  #isReleased = false;

  /** `release` removes what was made for these bytes alone, if anything was; it is called once. */
  constructor(stretches: readonly Stretch[], release?: () => void) {
    this.stretches = stretches;
    this.byteCount = stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0);
    this.isTemporary = release !== undefined;
    this.#release = release ?? (() => undefined);
  }

  /** The stretches of the bytes from `start` up to, not with, `end`. */
  slice(start: number, end: number): Stretch[] {
    return cut(this.stretches, start, end);
  }

  /** Bytes of memory that an answer needs while they are sent. */
  get heldBytes(): number {
    return Math.min(this.byteCount, STREAM_BYTES_MAX);
  }

  /** Digest of the places of the bytes: equal digests are equal bytes. */
  placeDigest(): string {
    const places = this.stretches.map((stretch) =>
      'bytes' in stretch
        ? hash('sha256', stretch.bytes, 'base64url')
        : `${stretch.file} ${stretch.start} ${stretch.end}`,
    );
    return hash('sha256', places.join('\n'), 'base64url');
  }

  /**
   * The bytes from `start` up to, not with, `end`. Fails where a file is gone or has become
   * shorter.
   */
  chunks(start = 0, end = this.byteCount): AsyncGenerator<Buffer> {
    return readStretches(cut(this.stretches, start, end), given);
  }

  /** As `stream`, but each chunk is valid only until the next. */
  lentChunks(start = 0, end = this.byteCount): AsyncGenerator<Buffer> {
    return readStretches(cut(this.stretches, start, end), lent);
  }

  /** All of them, as a stream. */
  stream(): Readable {
    return Readable.from(this.chunks(), { objectMode: false, highWaterMark: STEP_BYTES });
  }

  /**
   * Digest of all bytes; `algorithm` as the runtime names it, such as `sha256`. Aborting the signal
   * ends the reading, which then rejects with its reason.
   */
  async digest(algorithm: string, signal?: AbortSignal): Promise<Buffer> {
    const hash = createHash(algorithm);
    for await (const chunk of this.lentChunks()) {
      signal?.throwIfAborted();
      hash.update(chunk);
      await nextTurn();
    }
    return hash.digest();
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#release();
  }
}

const KEEPS = () => undefined;

/** Bytes in lent memory, which goes back when the last one who shares them has released them. */
export class LentBytes extends StoredBytes {
  readonly pieces: readonly Buffer[];
  readonly #giveBack: () => void;
  readonly #holders: { count: number };

  constructor(pieces: readonly Buffer[], giveBack: () => void = KEEPS, holders = { count: 0 }) {
    const stretches = pieces.map((bytes) => ({ bytes }));
    super(stretches, () => {
      holders.count--;
      if (holders.count === 0) giveBack();
    });
    holders.count++;
    this.pieces = pieces;
    this.#giveBack = giveBack;
    this.#holders = holders;
  }

  override get heldBytes(): number {
    return this.byteCount;
  }

  /** Bytes that are lent, be they written to or not. */
  get lentBytes(): number {
    return this.pieces.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  }

  /** For one more holder. The bytes must not have been released. */
  share(): LentBytes {
    if (this.isReleased) throw new Error('bytes were shared after their release');
    return new LentBytes(this.pieces, this.#giveBack, this.#holders);
  }
}
