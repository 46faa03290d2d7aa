/**
 * The lake: the published version of each dataset, the same for every process that has it open, and
 * the only way in for new versions.
 */
import { resolve } from 'node:path';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { PartStorage, PartWriter } from '../engine/engine.ts';
import type { LakeIndex, PublicationStatus, RunningPublication } from '../store/lake-index.ts';
import type { Lock } from '../store/publisher-locks.ts';
import { DamagedParts } from './damaged-parts.ts';
import { OpenPublication } from './publication.ts';
import type { PublicationReport, StageOptions } from './publish.ts';
import type { DatasetSnapshot } from './snapshot.ts';
import { Snapshots } from './snapshots.ts';

export type { PublicationStatus };

export interface LakeOptions {
  /** The program's folder; what processes share is in the folder `lake` in it. */
  readonly home: string;
  /** Closed with the lake. */
  readonly index: LakeIndex;
  readonly storage: PartStorage;
  readonly clock: Clock;
  /** How long a replaced part stays for the queries that still read it; 15 minutes by default. */
  readonly graceMs?: number;
}

/** How a publication waits for another one to end. */
interface PublicationWait {
  /** 10 minutes by default. */
  readonly waitMs?: number | undefined;
  /** Called once if another publication is under way and has to be waited for. */
  readonly onWait?: (() => void) | undefined;
  /** Aborting it ends the wait; what stops the writing is the writer's own signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface PublicationOptions extends PublicationWait {
  /** The datasets that may be changed. */
  readonly datasets: readonly Dataset[];
  /** The command that publishes, such as `ingest`, to be recorded. */
  readonly command: string;
}

/** Rows of one dataset that are published in a publication of their own. */
export interface BatchPublication extends StageOptions, PublicationWait {
  readonly command?: string;
  readonly batches: AsyncIterable<ColumnBatch>;
}

const DEFAULT_GRACE_MS = 15 * 60_000;
const DEFAULT_WAIT_MS = 10 * 60_000;
const INTERRUPTED = 'interrupted';

export class Lake {
  /** Absolute path of the folder for what processes share: locks, and the engine's files. */
  readonly directory: string;
  readonly #options: LakeOptions;
  readonly #index: LakeIndex;
  readonly #damaged: DamagedParts;
  readonly #snapshots: Snapshots;

  private constructor(options: LakeOptions) {
    this.directory = resolve(options.home, 'lake');
    this.#options = options;
    this.#index = options.index;
    this.#snapshots = new Snapshots(options.index);
    this.#damaged = new DamagedParts(options.storage, (last, count) =>
      this.#index.publishedParts(last, count),
    );
  }

  /** Opens the lake of a home and, unless a publisher is alive, sweeps leftovers. */
  static async open(options: LakeOptions): Promise<Lake> {
    const lake = new Lake(options);
    try {
      const lock = await options.index.publishers.tryLock();
      if (lock) await lake.#sweep().finally(() => lock.release());
      return lake;
    } catch (error) {
      await lake.close();
      throw error;
    }
  }

  /** The published version of a dataset at this moment, by whichever process; null: there is none. */
  snapshot(datasetId: string): Promise<DatasetSnapshot | null> {
    return this.#snapshots.get(datasetId);
  }

  /**
   * The vendors of all that is published, each once, and '' where rows have none; also of datasets
   * without a definition. Empty: no rows are published.
   */
  vendors(): Promise<readonly string[]> {
    return this.#index.vendors();
  }

  /**
   * Looks once a minute for published parts that are gone or cut off. Resolves after the first look,
   * which for 100,000 files takes some seconds.
   */
  async watchParts(): Promise<void> {
    await this.#damaged.watch();
  }

  /** A published part that is gone or cut off, if `watchParts` has found one; null: none is. */
  damage(): string | null {
    return this.#damaged.list()[0]?.message ?? null;
  }

  /** State of the last or running publication of a dataset; `failed` if its parts are damaged. */
  async publicationStatus(datasetId: string): Promise<PublicationStatus> {
    const status = await this.#lastPublication(datasetId);
    const damage = this.#damaged.list().find((part) => part.datasetId === datasetId);
    if (!damage || status.state === 'running') return status;
    return { ...status, state: 'failed', message: damage.message };
  }

  async #lastPublication(datasetId: string): Promise<PublicationStatus> {
    const running = await this.#index.runningOf(datasetId);
    const living = await this.#findLiving(running);
    const [first] = running;
    if (!first) return await this.#index.lastFinished(datasetId);
    if (living) {
      const { startedAt } = living;
      return { state: 'running', startedAt, finishedAt: null, message: null };
    }
    // It may have ended while its process was checked.
    if ((await this.#index.runningOf(datasetId)).length < running.length) {
      return await this.#lastPublication(datasetId);
    }
    const { startedAt } = first;
    return { state: 'failed', startedAt, finishedAt: null, message: INTERRUPTED };
  }

  async #findLiving(running: readonly RunningPublication[]): Promise<RunningPublication | null> {
    for (const publication of running) {
      if (await this.#index.publishers.isAlive(publication.lifeMark)) return publication;
    }
    return null;
  }

  /** How many publications of a dataset were refused or failed. */
  unpublishedCount(datasetId: string): Promise<number> {
    return this.#index.unpublishedCount(datasetId);
  }

  /** Whether the index can be read. */
  async isReadable(): Promise<boolean> {
    try {
      await this.#index.dataset('');
      return true;
    } catch {
      return false;
    }
  }

  /**
   * A writer for rows of the dataset; `OpenPublication.write` takes it, the caller closes it.
   * Aborting the signal stops what the writer is doing.
   */
  async openWriter(dataset: Dataset, signal?: AbortSignal): Promise<PartWriter> {
    return await this.#options.storage.openWriter(dataset, signal);
  }

  /**
   * Runs `work` as one publication. What it writes becomes visible when it is done, all of it at
   * once; nothing does when it throws, and the index keeps the reason.
   */
  async publication<T>(
    options: PublicationOptions,
    work: (publication: OpenPublication) => Promise<T>,
  ): Promise<T> {
    const publication = await this.#begin(options);
    try {
      const result = await work(publication);
      await publication.commit();
      return result;
    } catch (error) {
      await publication.fail(error, options.signal);
      throw error;
    }
  }

  /**
   * Publishes rows as the next version of their dataset, after any other publication into the lake
   * has ended. Without rows nothing happens, except that `replace-all` publishes an empty version.
   */
  async publish({ batches, command, ...options }: BatchPublication): Promise<PublicationReport> {
    const { dataset } = options;
    const wide = { ...options, datasets: [dataset], command: command ?? 'publish' };
    return await this.publication(wide, async (publication) => {
      const writer = await this.openWriter(dataset);
      try {
        for await (const batch of batches) await writer.append(batch);
        return await publication.write(options, writer);
      } finally {
        await writer.close();
      }
    });
  }

  async close(): Promise<void> {
    this.#damaged.close();
    await this.#index.close();
  }

  async #begin({ datasets, command, ...wait }: PublicationOptions): Promise<OpenPublication> {
    const { clock, storage } = this.#options;
    await this.#settleDead();
    const lifeMark = await this.#index.publishers.holdLife();
    try {
      const publicationId = await this.#index.begin({
        datasetIds: datasets.map(({ datasetId }) => datasetId),
        command,
        lifeMark: lifeMark.name,
        startedAt: isoSeconds(clock.now()),
      });
      const lock = () => this.#lockForPublishing(wait);
      const context = { storage, index: this.#index, clock, lifeMark, lock };
      return new OpenPublication(publicationId, context);
    } catch (error) {
      await lifeMark.release();
      throw error;
    }
  }

  async #lockForPublishing({ waitMs, onWait, signal }: PublicationWait): Promise<Lock> {
    const lock = await this.#index.publishers.lock({
      timeoutMs: waitMs ?? DEFAULT_WAIT_MS,
      onWait,
      signal,
      timeoutError: () =>
        new UsageError(`another process is still publishing into ${this.directory}; try later`),
    });
    try {
      await this.#sweep();
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Notes the end of publications whose process has died. */
  async #settleDead(): Promise<void> {
    const finishedAt = isoSeconds(this.#options.clock.now());
    for (const { publicationId, lifeMark } of await this.#index.running()) {
      if (await this.#index.publishers.isAlive(lifeMark)) continue;
      await this.#index.finish(publicationId, 'failed', INTERRUPTED, finishedAt);
    }
  }

  /** Removes what crashed publications and replaced versions left. The publishing lock is held. */
  async #sweep(): Promise<void> {
    const { clock, storage, graceMs = DEFAULT_GRACE_MS } = this.#options;
    const found = await this.#index.leftovers(clock.now() - graceMs);
    // Asked afterwards: what was replaced before somebody began to hold parts is none of theirs.
    const areHeld = await this.#index.publishers.arePartsHeld();
    const leftovers = areHeld ? { ...found, retired: [] } : found;
    const locations = [...leftovers.pending, ...leftovers.retired];
    await storage.remove(locations);
    if (locations.length > 0) await this.#index.forget(leftovers);
    await this.#settleDead();
    await this.#index.publishers.sweep();
    await storage.sweep();
  }
}
