/** Keeps streamed files on disk that are read from their end, while a load reads them. */
import { createWriteStream, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RAISE_DISK_BUDGET } from '../base/budgets.ts';
import { freeBytes } from '../base/disk-problem.ts';
import { UsageError } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';

export interface SpoolPlace {
  readonly folder: string;
  /** The limit for all files of a load together. */
  readonly bytesMax: number;
}

/** Less free space than this is left to everything else. */
const DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;
const NAME = /^load-(\d+)-/;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes the files of processes that were killed. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

export class Spool {
  readonly #place: SpoolPlace;
  #folder: string | null = null;
  #fileCount = 0;
  #byteCount = 0;

  constructor(place: SpoolPlace) {
    this.#place = place;
  }

  /** Writes a file and resolves to its path. Rejects with a `UsageError` if it is too large. */
  async keep(chunks: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
    this.#folder ??= this.#makeFolder();
    const path = join(this.#folder, `${this.#fileCount++}`);
    const limited = (source: AsyncIterable<Buffer>) => this.#limited(source);
    await pipeline(chunks, limited, createWriteStream(path, { mode: 0o600 }), { signal });
    return path;
  }

  /** Removes the files. */
  close(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  #makeFolder(): string {
    const { folder } = this.#place;
    if (existsSync(folder)) sweep(folder);
    else makeFolder(folder, 0o700);
    return mkdtempSync(join(folder, `load-${process.pid}-`));
  }

  async *#limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { folder, bytesMax } = this.#place;
    for await (const chunk of chunks) {
      this.#byteCount += chunk.length;
      if (this.#byteCount > bytesMax) {
        throw new UsageError(
          `it takes more than ${bytesMax} bytes; load it from a file, or ${RAISE_DISK_BUDGET}`,
        );
      }
      if (freeBytes(folder) < DISK_FREE_BYTES_MIN) {
        throw new UsageError(`less than 512 MiB are free below ${folder}; load it from a file`);
      }
      yield chunk;
    }
  }
}
