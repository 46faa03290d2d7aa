/**
 * Finds published parts that are gone or cut off. They are looked at once a minute and a few at a
 * time, so that no request waits while the storage is asked for them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PartStorage } from '../engine/engine.ts';
import type { IndexedPart } from '../store/lake-index.ts';

const LOOK_EVERY_MS = 60_000;
const PARTS_AT_ONCE = 32;

export interface DamagedPart {
  readonly datasetId: string;
  /** Names the part, for the operator. */
  readonly message: string;
}

/** A part of a current version. */
export type PublishedPart = Pick<IndexedPart, 'id' | 'datasetId' | 'location' | 'storedByteCount'>;

/** Reads at most `count` published parts with greater ids than `lastId`, in order of ids. */
export type ReadPublished = (lastId: number, count: number) => Promise<readonly PublishedPart[]>;

export class DamagedParts {
  readonly #storage: Pick<PartStorage, 'findDamage'>;
  readonly #readPublished: ReadPublished;
  #found: readonly DamagedPart[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(storage: Pick<PartStorage, 'findDamage'>, readPublished: ReadPublished) {
    this.#storage = storage;
    this.#readPublished = readPublished;
  }

  /** The damage that the last look found; none before the first one has ended. */
  list(): readonly DamagedPart[] {
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

  /** Where the index or the storage cannot be asked, it stays with what the last look found. */
  async #look(): Promise<void> {
    const found: DamagedPart[] = [];
    let lastId = 0;
    try {
      while (!this.#isClosed) {
        const parts: readonly PublishedPart[] = await this.#readPublished(lastId, PARTS_AT_ONCE);
        const damage = await Promise.all(parts.map((part) => this.#damageOf(part)));
        found.push(...damage.flat());
        const last = parts.at(-1);
        if (!last) break;
        lastId = last.id;
        await nextTurn();
      }
      this.#found = found;
    } catch {
      // Readiness says so of the index by itself, and requests do of the storage.
    }
  }

  async #damageOf(part: PublishedPart): Promise<DamagedPart[]> {
    const message = await this.#storage.findDamage(part);
    return message === null ? [] : [{ datasetId: part.datasetId, message }];
  }
}
