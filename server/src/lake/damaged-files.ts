/**
 * Finds published files that are gone or cut off. They are looked at once a minute and a few at a
 * time, so that no request asks the disk for them or waits while it is asked.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failureReason } from '../base/failure-text.ts';
import type { PublishedFile } from '../store/sqlite/lake-index.ts';

const LOOK_EVERY_MS = 60_000;
const FILES_AT_ONCE = 32;

export interface DamagedFile {
  readonly datasetId: string;
  /** Names the file, for the operator. */
  readonly message: string;
}

/** Reads at most `count` published files, those after `last`; null begins with the first. */
export type ReadPublished = (last: PublishedFile | null, count: number) => PublishedFile[];

const MISSING = new Set(['ENOENT', 'ENOTDIR']);

async function damageOf(directory: string, published: PublishedFile): Promise<DamagedFile[]> {
  const { datasetId, file, byteCount } = published;
  const damaged = (what: string) => [{ datasetId, message: `the file lake/${file} ${what}` }];
  try {
    const { size } = await stat(join(directory, file));
    return size < byteCount ? damaged('is cut off') : [];
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = failureReason(error) ?? 'its folder cannot be read';
    return damaged(MISSING.has(code) ? 'is missing' : `cannot be read: ${reason}`);
  }
}

export class DamagedFiles {
  readonly #directory: string;
  readonly #readPublished: ReadPublished;
  #found: readonly DamagedFile[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(directory: string, readPublished: ReadPublished) {
    this.#directory = directory;
    this.#readPublished = readPublished;
  }

  /** What the last look found; none before the first one has ended. */
  list(): readonly DamagedFile[] {
    return this.#found;
  }

  /** Resolves after a first look; looks again a minute after each look has ended, until `close`. */
  async watch(): Promise<void> {
    await this.#look();
    if (!this.#isClosed) this.#timer = setTimeout(() => this.watch(), LOOK_EVERY_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const found: DamagedFile[] = [];
    let last: PublishedFile | null = null;
    while (!this.#isClosed) {
      const files = this.#read(last);
      if (files === null) return;
      const damage = await Promise.all(files.map((file) => damageOf(this.#directory, file)));
      found.push(...damage.flat());
      last = files.at(-1) ?? null;
      if (last === null) break;
      await nextTurn();
    }
    this.#found = found;
  }

  /** Null: the index cannot be read, which readiness says by itself. */
  #read(last: PublishedFile | null): PublishedFile[] | null {
    try {
      return this.#readPublished(last, FILES_AT_ONCE);
    } catch {
      return null;
    }
  }
}
