/** Keeps streamed files on disk that are read from their end, while a load reads them. */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RAISE_DISK_BUDGET } from '../base/budgets.ts';
import { freeBytes } from '../base/disk-problem.ts';
import { UsageError } from '../base/errors.ts';
import { openProcessFolder } from '../base/process-lock.ts';

export interface SpoolPlace {
  readonly folder: string;
  /** The limit for all files of a load together. */
  readonly bytesMax: number;
}

/** Less free space than this is left to everything else. */
const DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;

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
    this.#folder ??= openProcessFolder(this.#place.folder, 'load');
    const path = join(this.#folder, `${this.#fileCount++}`);
    const limited = (source: AsyncIterable<Buffer>) => this.#limited(source);
    // A stream that opens the file may still make it after a refusal, when the folder is removed.
    const file = await open(path, 'w', 0o600);
    await pipeline(chunks, limited, file.createWriteStream(), { signal });
    return path;
  }

  /** Removes the files. */
  close(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
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
