/** Files that are read soon after they were written, and then removed. */
import { mkdirSync, rmSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openProcessFolder } from '../../base/process-folder.ts';

/** Files up to this size are kept in memory instead. */
const IN_MEMORY_BYTES_MAX = 1_048_576;

export interface TemporaryFile {
  /** Absolute path. */
  readonly path: string;
  /** All of it, where it is so small that it is no longer there. */
  readonly bytes: Buffer | null;
}

export class TemporaryFiles {
  readonly #directory: string;
  #count = 0;

  /** Removes what earlier processes have left below `parent`. */
  constructor(parent: string) {
    this.#directory = openProcessFolder(parent, 'answers');
  }

  /** A file that `write` writes; none is left where that fails. */
  async write(write: (path: string) => Promise<unknown>): Promise<TemporaryFile> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    // A name is never used again: the engine remembers the files that it has read.
    const path = join(this.#directory, `${this.#count++}.parquet`);
    try {
      await write(path);
      if ((await stat(path)).size > IN_MEMORY_BYTES_MAX) return { path, bytes: null };
      const bytes = await readFile(path);
      await rm(path);
      return { path, bytes };
    } catch (error) {
      this.remove([path]);
      throw error;
    }
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) rmSync(path, { force: true });
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
