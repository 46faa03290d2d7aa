/**
 * Sorted walks on disk: the rows of a walk, sorted once and written to a file that its later pages
 * read from. Files are bounded in number of rows and bytes, live as long as they are used, and are
 * never needed: without one, a page is read from the dataset itself.
 */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { openProcessFolder } from '../../../base/process-lock.ts';

/** Limits of the files that sorted walks leave on disk for their later pages. */
export interface WalkSpillOptions {
  /** Bytes of all files together; 0 keeps none. */
  readonly diskBytesMax: number;
  /** Bytes of the files of one holder. */
  readonly diskBytesPerHolderMax: number;
  /** A file that no page has read from for so long is removed. */
  readonly idleMs: number;
}

/** For whom a file was written. */
type Holder = number | undefined;

interface Spill {
  readonly file: string;
  readonly holder: Holder;
  readonly byteCount: number;
  readonly rowCount: number;
  readonly expiry: NodeJS.Timeout;
  readerCount: number;
  isDropped: boolean;
}

/** A file that stays until it is released. */
export interface HeldSpill {
  readonly file: string;
  readonly rowCount: number;
  release(): void;
}

interface Creation {
  readonly settled: Promise<Spill | null>;
  readonly abort: AbortController;
  waiterCount: number;
}

/** Writes the walk to `file`; its number of rows, or null when it is not worth it or too much. */
type WriteSpill = (file: string, signal: AbortSignal) => Promise<number | null>;

const TOO_LARGE = new Error('the walk needs more disk space than it may have');
const WATCH_EVERY_MS = 100;
/** Walks that turned out not to be worth a file, remembered so as not to try again at each page. */
const REFUSED_MAX = 1000;

/** Rejects as soon as the signal is aborted. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abandon = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abandon, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

/** Aborts as soon as the file has grown past `bytesMax`, until the returned function is called. */
function watchSize(file: string, bytesMax: number, abort: AbortController): () => void {
  const check = async () => {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    if (size > bytesMax) abort.abort(TOO_LARGE);
  };
  const timer = setInterval(check, WATCH_EVERY_MS);
  return () => clearInterval(timer);
}

export class WalkSpills {
  readonly #options: WalkSpillOptions;
  readonly #directory: string;
  /** Least recently used first. */
  readonly #spills = new Map<string, Spill>();
  readonly #creations = new Map<string, Creation>();
  readonly #refused = new LRUCache<string, true>({ max: REFUSED_MAX });
  readonly #byteCountOfHolder = new Map<Holder, number>();
  #fileCount = 0;
  #byteCount = 0;

  /** Removes what earlier processes have left below `parent`. */
  constructor(parent: string, options: WalkSpillOptions) {
    this.#options = options;
    this.#directory = openProcessFolder(parent, 'walks');
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** The walk's file if there is one. */
  hold(key: string): HeldSpill | null {
    const spill = this.#spills.get(key);
    if (!spill) return null;
    if (!existsSync(spill.file)) {
      this.#drop(key, spill);
      return null;
    }
    this.#spills.delete(key);
    this.#spills.set(key, spill);
    spill.expiry.refresh();
    return this.#held(spill);
  }

  /**
   * The walk's file, written first if there is none; null when it cannot have one. Those who want
   * the same file wait for one writing, which stops when nobody waits for it any more. The file
   * counts for the holder who wanted it first.
   */
  async holdOrWrite(
    key: string,
    holder: Holder,
    write: WriteSpill,
    signal: AbortSignal,
  ): Promise<HeldSpill | null> {
    const held = this.hold(key);
    if (held || this.#refused.has(key) || this.#options.diskBytesMax === 0) return held;
    const creation = this.#creations.get(key) ?? this.#begin(key, holder, write);
    creation.waiterCount++;
    try {
      const spill = await untilAborted(creation.settled, signal);
      return spill && (spill.isDropped ? null : this.#held(spill));
    } finally {
      creation.waiterCount--;
      if (creation.waiterCount === 0) creation.abort.abort();
    }
  }

  close(): void {
    for (const { abort } of this.#creations.values()) abort.abort();
    for (const [key, spill] of this.#spills) this.#drop(key, spill);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #held(spill: Spill): HeldSpill {
    spill.readerCount++;
    return {
      ...{ file: spill.file, rowCount: spill.rowCount },
      release: () => {
        spill.readerCount--;
        this.#removeUnread(spill);
      },
    };
  }

  #begin(key: string, holder: Holder, write: WriteSpill): Creation {
    const abort = new AbortController();
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    // A name is never used again: the engine remembers the files that it has read.
    const file = join(this.#directory, `${this.#fileCount++}.parquet`);
    const settled = this.#write(key, file, holder, write, abort).finally(() => {
      if (this.#creations.get(key) === creation) this.#creations.delete(key);
    });
    const creation: Creation = { settled, abort, waiterCount: 0 };
    this.#creations.set(key, creation);
    // Whoever comes after the last one has left begins anew.
    abort.signal.addEventListener('abort', () => {
      if (this.#creations.get(key) === creation) this.#creations.delete(key);
    });
    return creation;
  }

  /** Null also when writing fails: the dataset itself may still be read. */
  async #write(
    key: string,
    file: string,
    holder: Holder,
    write: WriteSpill,
    abort: AbortController,
  ): Promise<Spill | null> {
    const bytesMax = Math.min(this.#options.diskBytesMax, this.#options.diskBytesPerHolderMax);
    const stopWatching = watchSize(file, bytesMax, abort);
    const rowCount = await write(file, abort.signal)
      .catch(() => null)
      .finally(stopWatching);
    const { size } = await stat(file).catch(() => ({ size: Number.POSITIVE_INFINITY }));
    if (rowCount !== null && size <= bytesMax) {
      const expiry = setTimeout(() => this.#drop(key, spill), this.#options.idleMs).unref();
      const spill: Spill = {
        file,
        holder,
        byteCount: size,
        rowCount,
        expiry,
        readerCount: 0,
        isDropped: false,
      };
      this.#spills.set(key, spill);
      this.#count(holder, size);
      this.#makeRoom(spill);
      return spill;
    }
    await rm(file, { force: true });
    // Not being waited for says nothing about the walk.
    if (!abort.signal.aborted || abort.signal.reason === TOO_LARGE) this.#refused.set(key, true);
    return null;
  }

  /** Drops the files used longest ago, the holder's own ones before those of others. */
  #makeRoom(kept: Spill): void {
    const { diskBytesMax, diskBytesPerHolderMax } = this.#options;
    const ownBytes = () => this.#byteCountOfHolder.get(kept.holder) ?? 0;
    for (const [key, spill] of this.#spills) {
      const isOwn = spill.holder === kept.holder && spill !== kept;
      if (isOwn && ownBytes() > diskBytesPerHolderMax) this.#drop(key, spill);
    }
    for (const [key, spill] of this.#spills) {
      if (spill !== kept && this.#byteCount > diskBytesMax) this.#drop(key, spill);
    }
  }

  #count(holder: Holder, byteCount: number): void {
    this.#byteCount += byteCount;
    const own = (this.#byteCountOfHolder.get(holder) ?? 0) + byteCount;
    if (own === 0) this.#byteCountOfHolder.delete(holder);
    else this.#byteCountOfHolder.set(holder, own);
  }

  #drop(key: string, spill: Spill): void {
    clearTimeout(spill.expiry);
    if (this.#spills.get(key) === spill) this.#spills.delete(key);
    spill.isDropped = true;
    this.#removeUnread(spill);
  }

  #removeUnread(spill: Spill): void {
    if (!spill.isDropped || spill.readerCount > 0) return;
    this.#count(spill.holder, -spill.byteCount);
    rmSync(spill.file, { force: true });
  }
}
