/**
 * The lake: what is published of each dataset, seen alike by every process that has it open, and
 * the one way in for new versions.
 */
import { rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { Stage, StagingEngine } from '../engine/engine.ts';
import {
  type IndexedPartition,
  LakeIndex,
  type PublicationStatus,
} from '../store/sqlite/lake-index.ts';
import { DamagedFiles } from './damaged-files.ts';
import { LifeMarks } from './life-marks.ts';
import { ProcessLock } from './process-lock.ts';
import { OpenPublication } from './publication.ts';
import type { PublicationReport, StageOptions } from './publish.ts';
import { RowGroupCache } from './row-group-cache.ts';
import type { DatasetSnapshot } from './snapshot.ts';
import { openStageIn, sweepStages } from './staging-space.ts';
import { vendorsByRows } from './vendors.ts';

export type { PublicationStatus };

export interface LakeOptions {
  /** The program's folder; the lake is `lake.db` and the folder `lake` in it. */
  readonly home: string;
  readonly stagingEngine: StagingEngine;
  readonly clock: Clock;
  /** How long a replaced file stays for the queries that still read it; 15 minutes by default. */
  readonly graceMs?: number;
}

/** How a publication waits for another one to end. */
interface PublicationWait {
  /** 10 minutes by default. */
  readonly waitMs?: number | undefined;
  /** Called once if another publication is under way and has to be waited for. */
  readonly onWait?: (() => void) | undefined;
  /** Aborting it ends the wait; what stops the writing is the stage's own signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface PublicationOptions extends PublicationWait {
  /** Which may be changed. */
  readonly datasets: readonly Dataset[];
  /** What publishes, such as `ingest`: for the record. */
  readonly command: string;
}

/** Rows of one dataset that are published by themselves. */
export interface BatchPublication extends StageOptions, PublicationWait {
  readonly command?: string;
  readonly batches: AsyncIterable<ColumnBatch>;
}

const DEFAULT_GRACE_MS = 15 * 60_000;
const DEFAULT_WAIT_MS = 10 * 60_000;
const INTERRUPTED = 'interrupted';
const BUSY_UPGRADE =
  'the lake has files of an earlier release, which cannot be upgraded while another process ' +
  'publishes; try again when it has ended';

interface CachedSnapshot {
  readonly snapshot: DatasetSnapshot | null;
  readonly changeMark: number;
}

function sumOf(partitions: readonly IndexedPartition[], name: 'rowCount' | 'byteCount'): number {
  return partitions.reduce((sum, partition) => sum + partition[name], 0);
}

export class Lake {
  /** Absolute path of the folder that holds all partition files. */
  readonly directory: string;
  readonly #options: LakeOptions;
  readonly #index: LakeIndex;
  readonly #lifeMarks: LifeMarks;
  readonly #damaged: DamagedFiles;
  readonly #rowGroups: RowGroupCache;
  readonly #snapshots = new Map<string, CachedSnapshot>();

  private constructor(options: LakeOptions) {
    this.directory = resolve(options.home, 'lake');
    this.#options = options;
    makeFolder(this.directory, 0o700);
    this.#index = new LakeIndex(resolve(options.home, 'lake.db'));
    this.#lifeMarks = new LifeMarks(join(this.directory, '.publishing'));
    this.#damaged = new DamagedFiles(this.directory, (last, count) =>
      this.#index.publishedFiles(last, count),
    );
    this.#rowGroups = new RowGroupCache(async (files) =>
      files.map((file) => this.#index.rowGroups(file)),
    );
  }

  /**
   * Opens or creates the lake of a home and, unless a publisher is alive, sweeps leftovers. Files of
   * an earlier release are brought to the current format first, which takes as long as copying them.
   */
  static open(options: LakeOptions): Lake {
    const lake = new Lake(options);
    const lock = ProcessLock.tryAcquire(lake.#lockPath);
    try {
      if (lock) lake.#sweep();
      lake.#upgradeFiles(lock !== null);
      return lake;
    } catch (error) {
      lake.close();
      throw error;
    } finally {
      lock?.release();
    }
  }

  /** What is published of a dataset at this moment, by any process; null: nothing. */
  snapshot(datasetId: string): DatasetSnapshot | null {
    const changeMark = this.#index.changeMark();
    const cached = this.#snapshots.get(datasetId);
    if (cached?.changeMark === changeMark) return cached.snapshot;
    const version = this.#index.dataset(datasetId)?.version;
    const isUnchanged = cached && cached.snapshot?.version === version;
    const snapshot = isUnchanged ? cached.snapshot : this.#load(datasetId);
    this.#snapshots.set(datasetId, { snapshot, changeMark });
    return snapshot;
  }

  /**
   * The vendors of all that is published, each once, and '' where rows have none; also of datasets
   * without a definition. Empty: no rows are published.
   */
  vendors(): string[] {
    return this.#index.vendors();
  }

  /**
   * Looks once a minute for published files that are gone or cut off. Resolves after the first look,
   * which for 100,000 files takes some seconds.
   */
  async watchFiles(): Promise<void> {
    await this.#damaged.watch();
  }

  /** A published file that is gone or cut off, if `watchFiles` has found one; null: none is. */
  damage(): string | null {
    return this.#damaged.list()[0]?.message ?? null;
  }

  /** How the last publication of a dataset went, or how it goes; `failed` if its files are damaged. */
  publicationStatus(datasetId: string): PublicationStatus {
    const status = this.#lastPublication(datasetId);
    const damage = this.#damaged.list().find((file) => file.datasetId === datasetId);
    if (!damage || status.state === 'running') return status;
    return { ...status, state: 'failed', message: damage.message };
  }

  #lastPublication(datasetId: string): PublicationStatus {
    const running = this.#index.runningOf(datasetId);
    const living = running.find(({ lifeMark }) => this.#lifeMarks.isAlive(lifeMark));
    const [first] = running;
    if (!first) return this.#index.lastFinished(datasetId);
    if (living) {
      const { startedAt } = living;
      return { state: 'running', startedAt, finishedAt: null, message: null };
    }
    // It may have ended while its life was asked for.
    if (this.#index.runningOf(datasetId).length < running.length) {
      return this.#lastPublication(datasetId);
    }
    const { startedAt } = first;
    return { state: 'failed', startedAt, finishedAt: null, message: INTERRUPTED };
  }

  /** How many publications of a dataset were refused or failed. */
  unpublishedCount(datasetId: string): number {
    return this.#index.unpublishedCount(datasetId);
  }

  /** Whether the index can be read. */
  isReadable(): boolean {
    try {
      this.#index.dataset('');
      return true;
    } catch {
      return false;
    }
  }

  /**
   * An empty stage for rows of the dataset; `publish` takes it, the caller closes it. Aborting the
   * signal stops what the stage is doing.
   */
  async openStage(dataset: Dataset, signal?: AbortSignal): Promise<Stage> {
    const { stagingEngine } = this.#options;
    return await openStageIn(this.#stagingDirectory, stagingEngine, dataset, signal);
  }

  /**
   * Runs `work` as one publication. What it writes becomes visible when it is done, all of it at
   * once; nothing does when it throws, and the index keeps the reason.
   */
  async publication<T>(
    options: PublicationOptions,
    work: (publication: OpenPublication) => Promise<T>,
  ): Promise<T> {
    const publication = this.#begin(options);
    try {
      const result = await work(publication);
      publication.commit();
      return result;
    } catch (error) {
      publication.fail(error, options.signal);
      throw error;
    } finally {
      // The index notes changes of other connections only.
      for (const { datasetId } of options.datasets) this.#snapshots.delete(datasetId);
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
      const stage = await this.openStage(dataset);
      try {
        for await (const batch of batches) await stage.append(batch);
        return await publication.write(options, stage);
      } finally {
        await stage.close();
      }
    });
  }

  close(): void {
    this.#damaged.close();
    this.#index.close();
  }

  get #lockPath(): string {
    return join(this.directory, 'publish.lock');
  }

  get #stagingDirectory(): string {
    return join(this.directory, '.staging');
  }

  #begin({ datasets, command, ...wait }: PublicationOptions): OpenPublication {
    const { clock } = this.#options;
    this.#settleDead();
    const lifeMark = this.#lifeMarks.hold();
    try {
      const publicationId = this.#index.begin({
        datasetIds: datasets.map(({ datasetId }) => datasetId),
        command,
        lifeMark: lifeMark.name,
        startedAt: isoSeconds(clock.now()),
      });
      const lock = () => this.#lockForPublishing(wait);
      const context = { directory: this.directory, index: this.#index, clock, lifeMark, lock };
      return new OpenPublication(publicationId, context);
    } catch (error) {
      lifeMark.release();
      throw error;
    }
  }

  async #lockForPublishing({ waitMs, onWait, signal }: PublicationWait): Promise<() => void> {
    const lock = await ProcessLock.acquire(this.#lockPath, {
      timeoutMs: waitMs ?? DEFAULT_WAIT_MS,
      onWait,
      signal,
      timeoutError: () =>
        new UsageError(`another process is still publishing into ${this.directory}; try later`),
    });
    try {
      this.#sweep();
      return () => lock.release();
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** A file that cannot be read stays as it is, and queries that need it fail. */
  #upgradeFiles(isLocked: boolean): void {
    const { stagingEngine } = this.#options;
    for (const file of this.#index.outdatedFiles()) {
      const path = join(this.directory, file);
      const format = stagingEngine.formatOf(path);
      if (format === 'outdated') {
        if (!isLocked) throw new UsageError(BUSY_UPGRADE);
        stagingEngine.upgradeFile(path);
      }
      if (isLocked && format !== 'unreadable') this.#index.setCurrent(file, statSync(path).size);
    }
  }

  #load(datasetId: string): DatasetSnapshot | null {
    const indexed = this.#index.version(datasetId);
    if (!indexed) return null;
    const { version, publishedAt, partitions } = indexed;
    const dates = partitions
      .flatMap(({ firstDate, lastDate }) => [firstDate, lastDate])
      .filter((date) => date !== null)
      .sort();
    return {
      datasetId,
      version,
      publishedAt,
      vendor: vendorsByRows(partitions).join(', '),
      rowCount: sumOf(partitions, 'rowCount'),
      byteCount: sumOf(partitions, 'byteCount'),
      firstDate: dates[0] ?? null,
      lastDate: dates.at(-1) ?? null,
      partitions: partitions.map(({ key, file, rowCount, byteCount }) => {
        return { key, file: join(this.directory, file), rowCount, byteCount };
      }),
      // They are read when they are asked for: there may be millions.
      rowGroups: (asked) =>
        this.#rowGroups.get(asked.map(({ file }) => relative(this.directory, file))),
    };
  }

  /** Notes the end of publications whose process has died. */
  #settleDead(): void {
    const finishedAt = isoSeconds(this.#options.clock.now());
    for (const { publicationId, lifeMark } of this.#index.running()) {
      if (this.#lifeMarks.isAlive(lifeMark)) continue;
      this.#index.finish(publicationId, 'failed', INTERRUPTED, finishedAt);
    }
  }

  /** Removes what crashed publications and replaced versions left. The publishing lock is held. */
  #sweep(): void {
    const { clock, graceMs = DEFAULT_GRACE_MS } = this.#options;
    const leftovers = this.#index.leftovers(clock.now() - graceMs);
    const files = [...leftovers.pendingFiles, ...leftovers.retiredFiles];
    for (const file of files) rmSync(join(this.directory, file), { force: true });
    if (files.length > 0) this.#index.forget(leftovers);
    this.#settleDead();
    this.#lifeMarks.sweep();
    sweepStages(this.#stagingDirectory);
  }
}
