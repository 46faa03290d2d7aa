/**
 * Finds parts of current and earlier versions that are gone or cut off. They are looked at every
 * now and then, a few at a time, so that no request waits while the storage is asked for them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RepeatedWork } from '../base/repeated-work.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { KeptPart } from '../store/kept-parts.ts';

const LOOK_EVERY_MS = 60_000;
const PARTS_AT_ONCE = 32;

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
  readonly #storage: Pick<PartStorage, 'findDamage' | 'damageLookMs'>;
  readonly #readParts: ReadParts;
  #found: readonly DamagedPart[] = [];
  #looks: RepeatedWork | null = null;
  #isClosed = false;

  constructor(storage: Pick<PartStorage, 'findDamage' | 'damageLookMs'>, readParts: ReadParts) {
    this.#storage = storage;
    this.#readParts = readParts;
  }

  /** The damage that the last look found; none before the first one has ended. */
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
   * Resolves after a first look, which for 100,000 files takes some seconds; looks again some time
   * after each look has ended, until `close`.
   */
  async watch(): Promise<void> {
    await this.#look();
    if (!this.#isClosed)
      this.#looks = new RepeatedWork(
        () => this.#look(),
        this.#storage.damageLookMs ?? LOOK_EVERY_MS,
      );
  }

  close(): void {
    this.#isClosed = true;
    void this.#looks?.close();
  }

  /** If the index or the storage cannot be asked, the last findings stay. */
  async #look(): Promise<void> {
    const found: DamagedPart[] = [];
    let lastId = 0;
    try {
      while (!this.#isClosed) {
        const parts: readonly WatchedPart[] = await this.#readParts(lastId, PARTS_AT_ONCE);
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

  async #damageOf(part: WatchedPart): Promise<DamagedPart[]> {
    const message = await this.#storage.findDamage(part);
    const { datasetId, isCurrent } = part;
    return message === null ? [] : [{ datasetId, isCurrent, message }];
  }
}
