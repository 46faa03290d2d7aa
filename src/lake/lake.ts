/**
 * The lake: what is published of each dataset, seen alike by every process that has it open, and
 * the one way in for new versions.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Dataset } from '../catalog/dataset.ts';
import { type Clock, isoSeconds } from '../clock.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { Stage, StagingEngine } from '../engine/engine.ts';
import { UsageError } from '../errors.ts';
import { type IndexedPartition, LakeIndex, type PublicationStatus } from './lake-index.ts';
import { ProcessLock } from './process-lock.ts';
import { type PublicationOptions, type PublicationReport, publishStage } from './publish.ts';
import { RowGroupCache } from './row-group-cache.ts';
import type { DatasetSnapshot, Partition } from './snapshot.ts';
import { openStageIn, sweepStages } from './staging-space.ts';

export type { PublicationStatus };

export interface LakeOptions {
  /** The program's folder; the lake is `lake.db` and the folder `lake` in it. */
  readonly home: string;
  readonly stagingEngine: StagingEngine;
  readonly clock: Clock;
  /** How long a replaced file stays for the queries that still read it; 15 minutes by default. */
  readonly graceMs?: number;
}

/** Rows as batches, or in a stage that the caller has filled and closes. */
export type Publication = PublicationOptions &
  ({ readonly batches: AsyncIterable<ColumnBatch> } | { readonly stage: Stage });

const DEFAULT_GRACE_MS = 15 * 60_000;
const DEFAULT_WAIT_MS = 10 * 60_000;

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
  readonly #rowGroups: RowGroupCache;
  readonly #snapshots = new Map<string, CachedSnapshot>();

  private constructor(options: LakeOptions) {
    this.directory = resolve(options.home, 'lake');
    this.#options = options;
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.#index = new LakeIndex(resolve(options.home, 'lake.db'));
    this.#rowGroups = new RowGroupCache((file) => this.#index.rowGroups(file));
  }

  /** Opens or creates the lake of a home and, unless a publisher is alive, sweeps leftovers. */
  static open(options: LakeOptions): Lake {
    const lake = new Lake(options);
    const lock = ProcessLock.tryAcquire(lake.#lockPath);
    try {
      if (lock) lake.#sweep();
      return lake;
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

  /** How the last publication of a dataset went, or how it goes. */
  publicationStatus(datasetId: string): PublicationStatus {
    const status = this.#index.publication(datasetId);
    if (status.state !== 'running' || this.#isPublisherAlive()) return status;
    return { ...status, state: 'failed', message: 'interrupted' };
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
   * Publishes rows as the next version of their dataset, after any other publication into the lake
   * has ended. Without rows nothing happens, except that `replace-all` publishes an empty version.
   */
  async publish(publication: Publication): Promise<PublicationReport> {
    if ('stage' in publication) return await this.#publishStage(publication, publication.stage);
    const stage = await this.openStage(publication.dataset);
    try {
      for await (const batch of publication.batches) await stage.append(batch);
      return await this.#publishStage(publication, stage);
    } finally {
      await stage.close();
    }
  }

  close(): void {
    this.#index.close();
  }

  get #lockPath(): string {
    return join(this.directory, 'publish.lock');
  }

  get #stagingDirectory(): string {
    return join(this.directory, '.staging');
  }

  #isPublisherAlive(): boolean {
    const lock = ProcessLock.tryAcquire(this.#lockPath);
    lock?.release();
    return lock === null;
  }

  #load(datasetId: string): DatasetSnapshot | null {
    const indexed = this.#index.version(datasetId);
    if (!indexed) return null;
    const { version, publishedAt, vendor, partitions } = indexed;
    const dates = partitions
      .flatMap(({ firstDate, lastDate }) => [firstDate, lastDate])
      .filter((date) => date !== null)
      .sort();
    return {
      datasetId,
      version,
      publishedAt,
      vendor,
      rowCount: sumOf(partitions, 'rowCount'),
      byteCount: sumOf(partitions, 'byteCount'),
      firstDate: dates[0] ?? null,
      lastDate: dates.at(-1) ?? null,
      partitions: partitions.map((partition) => this.#partition(partition)),
    };
  }

  /** Row groups are read when they are asked for: there may be millions. */
  #partition({ key, file, rowCount, byteCount }: IndexedPartition): Partition {
    const cache = this.#rowGroups;
    return {
      key,
      file: join(this.directory, file),
      rowCount,
      byteCount,
      get rowGroups() {
        return cache.get(file);
      },
    };
  }

  async #publishStage(options: PublicationOptions, stage: Stage): Promise<PublicationReport> {
    // This sorts the rows, which need not keep others from publishing.
    const keys = await stage.partitionKeys();
    const lock = await ProcessLock.acquire(this.#lockPath, {
      timeoutMs: options.waitMs ?? DEFAULT_WAIT_MS,
      onWait: options.onWait,
      signal: options.signal,
      timeoutError: () =>
        new UsageError(`another process is still publishing into ${this.directory}; try later`),
    });
    try {
      this.#sweep();
      const { clock } = this.#options;
      const target = { directory: this.directory, index: this.#index, clock };
      return await publishStage(target, options, stage, keys);
    } finally {
      // The index notes changes of other connections only.
      this.#snapshots.delete(options.dataset.datasetId);
      lock.release();
    }
  }

  /** Removes what crashed publications and replaced versions left. The publishing lock is held. */
  #sweep(): void {
    const { clock, graceMs = DEFAULT_GRACE_MS } = this.#options;
    const leftovers = this.#index.leftovers(clock.now() - graceMs);
    const files = [...leftovers.pendingFiles, ...leftovers.retiredFiles];
    for (const file of files) rmSync(join(this.directory, file), { force: true });
    if (files.length > 0 || leftovers.isInterrupted) {
      this.#index.forget(leftovers, isoSeconds(clock.now()));
    }
    sweepStages(this.#stagingDirectory);
  }
}
