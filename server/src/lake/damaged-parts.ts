/**
 * Finds parts of current and earlier versions that are gone or cut off. They are looked at every
 * now and then, a few at a time, so that no request waits while the storage is asked for them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RepeatedWork } from '../base/repeated-work.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { KeptPart } from '../store/kept-parts.ts';

const LOOK_EVERY_MS = 60_000;
/** Waited for each part: a look at 100,000 files costs 2 s of processor time. */
const PAUSE_PER_PART_MS = 5;
const PARTS_AT_ONCE = 32;
/** Looked at before `watch` resolves: 100,000 files would take half of a server's start. */
const PARTS_AT_START = 1024;

export interface DamagedPart {
  readonly datasetId: string;
  /** True if the current version has it, false if only earlier ones do. */
  readonly isCurrent: boolean;
  /** Names the part, for the operator. */
  readonly message: string;
}

export type WatchedPart = Pick<
  KeptPart,
  'id' | 'datasetId' | 'location' | 'storedByteCount' | 'isCurrent'
>;

/** Reads at most `count` parts with greater ids than `lastId`, in order of ids. */
export type ReadParts = (lastId: number, count: number) => Promise<readonly WatchedPart[]>;

export class DamagedParts {
  /** True once all parts have been looked at. */
  hasLooked = false;
  readonly #storage: Pick<PartStorage, 'findDamage' | 'damageLookMs'>;
  readonly #readParts: ReadParts;
  #found: readonly DamagedPart[] = [];
  #partCount = 0;
  #looks: RepeatedWork | null = null;
  #isClosed = false;

  constructor(storage: Pick<PartStorage, 'findDamage' | 'damageLookMs'>, readParts: ReadParts) {
    this.#storage = storage;
    this.#readParts = readParts;
  }

  /** The damage that the last look found, or what the first one has found so far. */
  list(): readonly DamagedPart[] {
    return this.#found;
  }

  /** The damage to a part of a current version, of one dataset or of any; null if there is none. */
  current(datasetId?: string): string | null {
    const found = this.#found.find(
      (part) => part.isCurrent && (datasetId ?? part.datasetId) === part.datasetId,
    );
    return found?.message ?? null;
  }

  /**
   * Resolves when the first parts have been looked at, and looks at the others then; looks again
   * some time after each look has ended, until `close`.
   */
  watch(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#look(resolve).then(() => {
      resolve();
      if (this.#isClosed) return;
      this.#looks = new RepeatedWork(
        () => this.#look(),
        () => this.#pauseMs(),
      );
    });
    return promise;
  }

  close(): void {
    this.#isClosed = true;
    void this.#looks?.close();
  }

  /** Not longer than usual while there is damage, so that it is soon seen to be mended. */
  #pauseMs(): number {
    const partCount = this.#found.length > 0 ? 0 : this.#partCount;
    return Math.max(this.#storage.damageLookMs ?? LOOK_EVERY_MS, partCount * PAUSE_PER_PART_MS);
  }

  /**
   * If the index or the storage cannot be asked, the last findings stay. `onFirst` is called in a
   * first look, whose findings are listed while it goes on.
   */
  async #look(onFirst?: () => void): Promise<void> {
    const found: DamagedPart[] = [];
    if (onFirst && !this.hasLooked) this.#found = found;
    let lastId = 0;
    let count = 0;
    try {
      while (!this.#isClosed) {
        const parts: readonly WatchedPart[] = await this.#readParts(lastId, PARTS_AT_ONCE);
        const damage = await Promise.all(parts.map((part) => this.#damageOf(part)));
        found.push(...damage.flat());
        const last = parts.at(-1);
        if (!last) break;
        lastId = last.id;
        count += parts.length;
        if (count >= PARTS_AT_START) onFirst?.();
        await nextTurn();
      }
      if (this.#isClosed) return;
      this.#found = found;
      this.#partCount = count;
      this.hasLooked = true;
    } catch {
      // Readiness says so of the index by itself, and requests do of the storage.
    }
  }

  async #damageOf(part: WatchedPart): Promise<DamagedPart[]> {
    const message = await this.#storage.findDamage(part);
    const { datasetId, isCurrent } = part;
    return message === null ? [] : [{ datasetId, isCurrent, message }];
  }
}
