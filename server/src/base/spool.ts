/**
 * Bodies of answers that are made before they are sent. They are in memory as long as all of them
 * together need little, and otherwise in files: so what many clients leave unfetched takes up no
 * memory, and a single client does not wait for a disk.
 */
import { rmSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BUFFER_LIMITS } from './budgets.ts';
import { ApiError } from './errors.ts';
import { openProcessFolder } from './process-lock.ts';
import { LentBytes, StoredBytes } from './stored-bytes.ts';
import { type BodyMemory, joinSmall, UnfinishedBytes } from './unfinished-bytes.ts';
import { writeAll } from './write-whole-file.ts';

/** Smaller bodies always stay in memory, unless the spool says otherwise. */
const SMALL_BYTES_MAX = 4 * 1024 * 1024;

/** Pieces are in memory until they are written: those of the last writes, at most. */
const WRITES_IN_FLIGHT_MAX = 2;

export interface SpoolOptions {
  /** Folder below which the files lie. */
  readonly directory: string;
  /** Bytes of all files together. */
  readonly bytesMax: number;
  /** Bytes of a body in memory; larger ones always go to files. */
  readonly memoryBytesMax?: number;
}

export class Spool implements BodyMemory {
  readonly #options: SpoolOptions;
  #folder: string | null = null;
  #fileCount = 0;
  #byteCount = 0;
  #memoryBytes = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Bytes of all files. */
  get byteCount(): number {
    return this.#byteCount;
  }

  get #smallBytesMax(): number {
    return this.#options.memoryBytesMax ?? SMALL_BYTES_MAX;
  }

  begin(): SpooledBody {
    return new SpooledBody(this, this.#smallBytesMax);
  }

  /** A whole body: a small one as it is, a larger one as if it had been written here. */
  async kept(body: Buffer | LentBytes): Promise<Buffer | StoredBytes> {
    const lent = body instanceof LentBytes ? body : new LentBytes([body]);
    if (lent.byteCount <= this.#smallBytesMax) return body;
    const spooled = this.begin();
    try {
      spooled.add(lent.pieces, () => lent.release());
      return await spooled.finish();
    } catch (error) {
      await spooled.discard();
      throw error;
    }
  }

  /** A body that is sent while it is written; null if memory has no room for all of it. */
  beginUnfinished(byteCount: number): UnfinishedBytes | null {
    if (!this.takeMemory(byteCount)) return null;
    return new UnfinishedBytes(byteCount, this);
  }

  /** A new file's name. */
  newFile(): string {
    this.#folder ??= openProcessFolder(this.#options.directory, 'answers');
    return join(this.#folder, `${++this.#fileCount}`);
  }

  /** True if memory has room for so many bytes; they count until they are given back. */
  takeMemory(byteCount: number): boolean {
    const memoryBytesMax = this.#options.memoryBytesMax === undefined ? BUFFER_LIMITS.answers : 0;
    if (this.#memoryBytes + byteCount > memoryBytesMax) return false;
    this.#memoryBytes += byteCount;
    return true;
  }

  giveMemory(byteCount: number): void {
    this.#memoryBytes -= byteCount;
  }

  /** Throws an ApiError 'unavailable' where that is more than may lie there. */
  reserve(byteCount: number): void {
    if (this.#byteCount + byteCount > this.#options.bytesMax) {
      throw new ApiError('unavailable', 'Service unavailable');
    }
    this.#byteCount += byteCount;
  }

  /**
   * Takes some milliseconds of a thread, for which nobody waits: the next file has its room at
   * once, though both may be there for a moment. What stays is removed with the folder.
   */
  remove(file: string, byteCount: number): void {
    this.#byteCount -= byteCount;
    rm(file, { force: true }).catch(() => undefined);
  }

  close(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }
}

export class SpooledBody {
  readonly #spool: Spool;
  /** With no more, it is in memory at any rate. */
  readonly #smallBytesMax: number;
  /** Small bodies in memory, and who is told when one leaves it. */
  #kept: Uint8Array[] = [];
  #owners: (() => void)[] = [];
  /** Taken of the memory for larger bodies. */
  #memoryBytes = 0;
  #byteCount = 0;
  #file: { readonly path: string; readonly handle: Promise<FileHandle> } | null = null;
  #reservedBytes = 0;
  readonly #writes: Promise<void>[] = [];

  constructor(spool: Spool, smallBytesMax: number) {
    this.#spool = spool;
    this.#smallBytesMax = smallBytesMax;
  }

  /** Takes pieces that stay as they are until `release`. Throws as `Spool.reserve` does. */
  add(pieces: readonly Uint8Array[], release: () => void = () => undefined): void {
    this.#byteCount += pieces.reduce((sum, { length }) => sum + length, 0);
    this.#kept.push(...pieces);
    this.#owners.push(release);
    if (this.#file === null && this.#fitsMemory()) return;
    this.#spool.reserve(this.#byteCount - this.#reservedBytes);
    this.#reservedBytes = this.#byteCount;
    this.#write(this.#kept, this.#letGo());
  }

  #fitsMemory(): boolean {
    if (this.#byteCount <= this.#smallBytesMax) return true;
    const more = this.#byteCount - this.#memoryBytes;
    if (!this.#spool.takeMemory(more)) return false;
    this.#memoryBytes += more;
    return true;
  }

  /** Forgets what is in memory; the function is called when nobody reads it any more. */
  #letGo(): () => void {
    const [owners, memoryBytes] = [this.#owners, this.#memoryBytes];
    this.#kept = [];
    this.#owners = [];
    this.#memoryBytes = 0;
    return () => {
      for (const release of owners) release();
      this.#spool.giveMemory(memoryBytes);
    };
  }

  #write(pieces: readonly Uint8Array[], release: () => void): void {
    if (this.#file === null) {
      const path = this.#spool.newFile();
      this.#file = { path, handle: open(path, 'wx') };
    }
    const { handle } = this.#file;
    const before = this.#writes.at(-1);
    const write = async () => {
      try {
        await before;
        await writeAll(await handle, pieces);
      } finally {
        release();
      }
    };
    const written = write();
    // A failure is met in `room` or `finish`.
    written.catch(() => undefined);
    this.#writes.push(written);
  }

  /** Resolves when few enough pieces wait to be written. */
  async room(): Promise<void> {
    await this.#writes.at(-WRITES_IN_FLIGHT_MAX);
  }

  /** The whole body. */
  async finish(): Promise<Buffer | StoredBytes> {
    if (this.#file === null) return this.#finishInMemory(this.#kept);
    const { path: file, handle } = this.#file;
    await this.#writes.at(-1);
    await (await handle).close();
    const [end, reserved] = [this.#byteCount, this.#reservedBytes];
    return new StoredBytes([{ file, start: 0, end }], () => this.#spool.remove(file, reserved));
  }

  #finishInMemory(pieces: readonly Uint8Array[]): Buffer | StoredBytes {
    const isSmall = this.#memoryBytes === 0;
    const release = this.#letGo();
    if (!isSmall) {
      return new StoredBytes(
        joinSmall(pieces).map((bytes) => ({ bytes })),
        release,
      );
    }
    const body = Buffer.concat(pieces);
    release();
    return body;
  }

  /** Instead of `finish`, where something has failed. */
  async discard(): Promise<void> {
    this.#letGo()();
    if (this.#file === null) return;
    await Promise.allSettled(this.#writes);
    await this.#file.handle.then((handle) => handle.close()).catch(() => undefined);
    this.#spool.remove(this.#file.path, this.#reservedBytes);
  }
}
