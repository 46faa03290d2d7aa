/**
 * One publication of a dataset writes at a time, of all processes, or one of the whole lake.
 * Whoever has it alone first removes what publications left that came to nothing, and what dropped
 * versions leave, once that is old enough.
 */
import { atEnd } from '../base/at-end.ts';
import { type Clock, isoSeconds } from '../base/clock.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { LakeIndex, Leftovers } from '../store/lake-index.ts';
import type { RunningPublication } from '../store/publications.ts';
import type { PublishingLock } from '../store/publisher-locks.ts';
import { type LakeOwner, requirePlace } from './lake-owner.ts';
import { type PublicationWait, PublisherBusy } from './publication-options.ts';

const DEFAULT_GRACE_MS = 15 * 60_000;
const DEFAULT_WAIT_MS = 10 * 60_000;
const INTERRUPTED = 'interrupted';

export interface PublishingTurnOptions {
  /** As people are told where it is. */
  readonly directory: string;
  readonly index: LakeIndex;
  readonly storage: PartStorage;
  /** Name of the storage's place, see `lake-owner.ts`. */
  readonly place: string;
  readonly owner: LakeOwner;
  readonly clock: Clock;
  /**
   * How long a part stays that was dropped, or came to nothing, for whoever still reads it; 15
   * minutes by default.
   */
  readonly graceMs?: number;
}

export class PublishingTurn {
  readonly graceMs: number;
  readonly #options: PublishingTurnOptions;
  readonly #index: LakeIndex;

  constructor(options: PublishingTurnOptions) {
    this.#options = options;
    this.#index = options.index;
    this.graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
  }

  /**
   * Waits until nobody else publishes these datasets, or any where none is named. Rejects with a
   * `PublisherBusy` where that takes too long.
   */
  async take(
    { waitMs, onWait, signal }: PublicationWait,
    datasetIds: readonly string[] = [],
  ): Promise<PublishingLock> {
    const wait = {
      timeoutMs: waitMs ?? DEFAULT_WAIT_MS,
      onWait,
      signal,
      timeoutError: () => new PublisherBusy(this.#options.directory),
    };
    const lock = await this.#index.publishers.lock(wait, datasetIds);
    try {
      await this.requireOwn();
      if (lock.isAlone) await this.#sweep();
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /**
   * Does the work and removes leftovers, unless somebody publishes or the parts are another
   * store's.
   */
  async ifIdle(work: () => Promise<unknown>): Promise<void> {
    if ((await this.#options.owner.look()) !== null) return;
    const lock = await this.#index.publishers.tryLock();
    if (!lock) return;
    await using _lock = atEnd(() => lock.release());
    await this.requireOwn();
    await work();
    await this.#sweep();
  }

  /** Locations that a sweep would remove now. */
  async leftovers(): Promise<Leftovers> {
    const found = await this.#index.space.leftovers(this.#options.clock.now() - this.graceMs);
    // Asked afterwards: what was dropped before somebody began to hold parts is none of theirs.
    const areHeld = await this.#index.publishers.arePartsHeld();
    return areHeld ? { ...found, retired: [] } : found;
  }

  /** One that is open for any process is no process's to lose. */
  async isAlive({ lifeMark }: RunningPublication): Promise<boolean> {
    return lifeMark === null || (await this.#index.publishers.isAlive(lifeMark));
  }

  /** Notes the end of publications whose process has died. */
  async settleDead(): Promise<void> {
    const finishedAt = isoSeconds(this.#options.clock.now());
    for (const running of await this.#index.ledger.running()) {
      if (await this.isAlive(running)) continue;
      const { publicationId } = running;
      await this.#index.ledger.finish(publicationId, 'failed', INTERRUPTED, finishedAt);
    }
  }

  /**
   * Rejects with a `UsageError` where the parts are in another place or another store's: both may
   * have changed since the lake was opened. Nobody moves it while the lock is held.
   */
  async requireOwn(): Promise<void> {
    await requirePlace(this.#index, this.#options.place);
    await this.#options.owner.require();
  }

  /** Removes what crashed publications and replaced versions left. Nobody else publishes. */
  async #sweep(): Promise<void> {
    const { storage } = this.#options;
    const leftovers = await this.leftovers();
    const locations = [...leftovers.pending, ...leftovers.retired];
    await storage.remove(locations);
    if (locations.length > 0) await this.#index.space.forget(leftovers);
    await this.settleDead();
    await this.#index.publishers.sweep();
    await storage.sweep();
  }
}
