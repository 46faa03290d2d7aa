/**
 * Files that the proxy in front of the server sends, in a folder that it can read. Each is there
 * whole under the digest of its bytes, or not at all; those not asked for the longest go when there
 * is no room.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { DeliveredFile } from './delivered-files.ts';

export interface ProxyFilesOptions {
  /** Absolute path. What is in it when it is opened is removed. */
  readonly folder: string;
  readonly bulkDiskBytesMax: number;
}

const FOLDER_MODE = 0o750;
/** The proxy opens a file as soon as it is told of it; after that it may go. */
const GRACE_MS = 60_000;
/** Files that are about to go may take as much room again as those that stay. */
const ROOMS_MAX = 2;

interface Entry {
  /** The file's name, once it exists. */
  readonly made: Promise<string>;
  readonly byteCount: number;
}

export class ProxyFiles {
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #entries: LRUCache<string, Entry>;
  #madeCount = 0;
  /** Total size of all files in the folder. */
  #byteCount = 0;

  constructor({ folder, bulkDiskBytesMax }: ProxyFilesOptions) {
    this.#folder = folder;
    this.#bytesMax = Math.max(1, bulkDiskBytesMax);
    rmSync(folder, { recursive: true, force: true });
    this.#entries = new LRUCache<string, Entry>({
      maxSize: this.#bytesMax,
      sizeCalculation: ({ byteCount }) => byteCount,
      dispose: (entry) => void this.#dismiss(entry),
    });
  }

  /**
   * The name, within the folder, of a file with the bytes; made once for all who ask for it. Null
   * where there is no room for it.
   */
  async nameOf(file: DeliveredFile): Promise<string | null> {
    const known = this.#entries.get(file.sha256);
    if (known) return await known.made;
    const byteCount = Math.max(1, file.bytes.byteCount);
    if (byteCount > this.#bytesMax || this.#byteCount + byteCount > ROOMS_MAX * this.#bytesMax) {
      return null;
    }
    this.#byteCount += byteCount;
    const made = this.#make(file);
    this.#entries.set(file.sha256, { made, byteCount });
    try {
      return await made;
    } catch (error) {
      this.#entries.delete(file.sha256);
      throw error;
    }
  }

  async #make({ sha256, bytes }: DeliveredFile): Promise<string> {
    // One that has to go may be asked for again before it has gone.
    const name = `${sha256}-${++this.#madeCount}`;
    const unfinished = join(this.#folder, `${name}.unfinished`);
    mkdirSync(this.#folder, { recursive: true, mode: FOLDER_MODE });
    try {
      // Not by a stream: one that fails before its file is open makes it after it was removed.
      await writeFile(unfinished, bytes.stream());
      await rename(unfinished, join(this.#folder, name));
      return name;
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  /** Removes a file that nobody is told of any more. */
  async #dismiss({ made, byteCount }: Entry): Promise<void> {
    try {
      const path = join(this.#folder, await made);
      await sleep(GRACE_MS, undefined, { ref: false });
      await rm(path, { force: true });
    } catch {
      // The file never existed; whoever asked for it got the error.
    } finally {
      this.#byteCount -= byteCount;
    }
  }
}
