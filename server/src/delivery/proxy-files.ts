/**
 * Files that the proxy in front of the server sends, in a folder that it can read. Each is there whole under
 * the digest of its bytes, or not at all; those not asked for the longest go when there is no room.
 */
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
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

export class ProxyFiles {
  readonly #folder: string;
  readonly #files: LRUCache<string, Promise<string>>;
  #madeCount = 0;

  constructor({ folder, bulkDiskBytesMax }: ProxyFilesOptions) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
    this.#files = new LRUCache<string, Promise<string>>({
      maxSize: Math.max(1, bulkDiskBytesMax),
      dispose: (name) => {
        void name.then((file) => setTimeout(() => void this.#remove(file), GRACE_MS).unref());
      },
    });
  }

  /** The name, within the folder, of a file with the bytes; once made for all who ask for it. */
  async nameOf(file: DeliveredFile): Promise<string> {
    const known = this.#files.get(file.sha256);
    if (known) return await known;
    const making = this.#make(file);
    this.#files.set(file.sha256, making, { size: Math.max(1, file.bytes.byteCount) });
    try {
      return await making;
    } catch (error) {
      this.#files.delete(file.sha256);
      throw error;
    }
  }

  async #make({ sha256, bytes }: DeliveredFile): Promise<string> {
    // One that has to go may be asked for again before it has gone.
    const name = `${sha256}-${++this.#madeCount}`;
    const unfinished = join(this.#folder, `${name}.unfinished`);
    mkdirSync(this.#folder, { recursive: true, mode: FOLDER_MODE });
    try {
      await pipeline(bytes.stream(), createWriteStream(unfinished));
      await rename(unfinished, join(this.#folder, name));
      return name;
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async #remove(name: string): Promise<void> {
    await rm(join(this.#folder, name), { force: true });
  }
}
