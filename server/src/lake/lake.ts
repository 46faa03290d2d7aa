/**
 * The lake: the published version of each dataset, the same for every process that has it open, and
 * the only way in for new versions.
 */
import { resolve } from 'node:path';
import { atEnd } from '../base/at-end.ts';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { deploymentOf } from '../base/home-layout.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartStorage, PartWriter } from '../engine/engine.ts';
import type { IndexedPart, LakeIndex } from '../store/lake-index.ts';
import type { LakeSpace } from '../store/lake-space.ts';
import type { LakeVersions } from '../store/lake-versions.ts';
import type { Ledger } from '../store/ledger.ts';
import type {
  PartChange,
  PartTotals,
  PublicationStatus,
  RunningPublication,
} from '../store/publications.ts';
import type { Securities } from '../store/securities.ts';
import { DamagedParts } from './damaged-parts.ts';
import { definitionConflicts } from './definition-conflicts.ts';
import { IN_HOME, LakeOwner, placeProblem, requirePlace } from './lake-owner.ts';
import type { OpenPublication } from './publication.ts';
import type { PublicationOptions } from './publication-options.ts';
import { Publications } from './publications.ts';
import { Publisher } from './publisher.ts';
import { PublishingTurn } from './publishing-turn.ts';
import { DEFAULT_OPEN_PUBLICATION_LIMITS, type OpenPublicationLimits } from './settings.ts';
import { type DatasetSnapshot, type PastSnapshot, Snapshots } from './snapshots.ts';

export type { PublicationStatus };

interface LakeOptions {
  /** The program's folder; what processes share is in the folder `lake` in it. */
  readonly home: string;
  /** Closed with the lake, as the storage is. */
  readonly index: LakeIndex;
  readonly storage: PartStorage;
  /** Name of the storage's place, see `lake-owner.ts`; by default the home. */
  readonly place?: string;
  readonly clock: Clock;
  /** Who publishes, as the audit log names them, unless a publication says who. */
  readonly actor: string;
  /** How long a dropped part stays for the queries that still read it; 15 minutes by default. */
  readonly graceMs?: number;
  /** Limits of open publications; the defaults of the settings if missing. */
  readonly limits?: Partial<OpenPublicationLimits>;
}

/** The ledger without what begins and ends publications. */
type PublicationReadings = Omit<Ledger, 'begin' | 'beginOpen' | 'note' | 'finish'>;

const INTERRUPTED = 'interrupted';

export class Lake {
  /** Absolute path of the folder for what processes share: locks, and the engine's files. */
  readonly directory: string;
  /** Parts of retained versions that are gone or cut off, once `watch` has been called. */
  readonly damaged: DamagedParts;
  readonly publications: Publications;
  /** Changes what is published, without new rows. */
  readonly publisher: Publisher;
  readonly turn: PublishingTurn;
  readonly owner: LakeOwner;
  readonly #storage: PartStorage;
  readonly #place: string;
  readonly #index: LakeIndex;
  readonly #snapshots: Snapshots;

  private constructor(options: LakeOptions) {
    this.directory = resolve(options.home, 'lake');
    this.#storage = options.storage;
    this.#index = options.index;
    this.#place = options.place ?? IN_HOME;
    const { index, storage } = options;
    this.owner = new LakeOwner({ index, storage, deployment: deploymentOf(options.home) });
    const { directory, owner } = this;
    this.turn = new PublishingTurn({ ...options, place: this.#place, directory, owner });
    const limits = { ...DEFAULT_OPEN_PUBLICATION_LIMITS, ...options.limits };
    this.publications = new Publications({ ...options, limits, turn: this.turn });
    const { publications, turn } = this;
    this.publisher = new Publisher({ ...options, publications, turn });
    this.#snapshots = new Snapshots(options.index);
    this.damaged = new DamagedParts(options.storage, (lastId, count) =>
      this.#index.space.keptParts(lastId, count),
    );
  }

  /**
   * Opens the lake of a home, whose parts become the store's own where they are nobody's, and notes
   * which publications have died. Removes nothing. Rejects with a `UsageError` where its parts are
   * in another place.
   */
  static async open(options: LakeOptions): Promise<Lake> {
    const lake = new Lake(options);
    try {
      await requirePlace(options.index, lake.#place);
      await lake.owner.look();
      await lake.turn.settleDead();
      return lake;
    } catch (error) {
      await lake.close();
      throw error;
    }
  }

  /**
   * The published version of a dataset at this moment, by whichever process; null: there is none.
   */
  snapshot(datasetId: string): Promise<DatasetSnapshot | null> {
    return this.#snapshots.get(datasetId);
  }

  /**
   * A version of a dataset, if it can still be read: `gone` if no more, `unknown` if there is none.
   */
  snapshotAt(datasetId: string, version: number): Promise<PastSnapshot> {
    return this.#snapshots.getAt(datasetId, version);
  }

  /** The version that was current at a moment, which may be gone; null: none was. */
  versionAsOf(datasetId: string, epochMs: number): Promise<number | null> {
    return this.#index.versions.asOf(datasetId, isoSeconds(epochMs));
  }

  /** The records of versions, retained or not, and what all current ones have. */
  get versions(): Pick<LakeVersions, 'record' | 'records' | 'isEmpty' | 'vendors'> {
    return this.#index.versions;
  }

  /** The partitions that differ between two versions; null if one of them cannot be read. */
  async partDiff(
    datasetId: string,
    fromVersion: number,
    toVersion: number,
  ): Promise<readonly PartChange[] | null> {
    const from = await this.#index.versions.version(datasetId, fromVersion);
    const to = await this.#index.versions.version(datasetId, toVersion);
    return from && to ? partDiff(from.parts, to.parts) : null;
  }

  /** The parts of a dataset's published version, with what the ledger knows of them. */
  async publishedParts(datasetId: string): Promise<readonly IndexedPart[]> {
    return (await this.#index.versions.version(datasetId))?.parts ?? [];
  }

  get ledger(): PublicationReadings {
    return this.#index.ledger;
  }

  /** The permanent numbers of securities. */
  get securities(): Securities {
    return this.#index.securities;
  }

  get space(): Pick<LakeSpace, 'storedBytes'> {
    return this.#index.space;
  }

  /**
   * State of the last or running publication of a dataset; `failed` if its current parts are
   * damaged.
   */
  async publicationStatus(datasetId: string): Promise<PublicationStatus> {
    const status = await this.#lastPublication(datasetId);
    const message = this.damaged.current(datasetId);
    if (message === null || status.state === 'running') return status;
    return { ...status, state: 'failed', message, isNoted: false };
  }

  async #lastPublication(datasetId: string): Promise<PublicationStatus> {
    const running = await this.#index.ledger.runningOf(datasetId);
    const living = await this.#findLiving(running);
    const [first] = running;
    if (!first) return await this.#index.ledger.lastFinished(datasetId);
    if (living) {
      const { startedAt } = living;
      return { state: 'running', startedAt, finishedAt: null, message: null, isNoted: false };
    }
    // The publication may have ended while its process was checked.
    if ((await this.#index.ledger.runningOf(datasetId)).length < running.length) {
      return await this.#lastPublication(datasetId);
    }
    const { startedAt } = first;
    return { state: 'failed', startedAt, finishedAt: null, message: INTERRUPTED, isNoted: false };
  }

  async #findLiving(running: readonly RunningPublication[]): Promise<RunningPublication | null> {
    for (const publication of running) if (await this.turn.isAlive(publication)) return publication;
    return null;
  }

  /** True if the index can be read. */
  async isReadable(): Promise<boolean> {
    try {
      await this.#index.changeMark();
      return true;
    } catch {
      return false;
    }
  }

  /** A problem in one line if the parts were moved elsewhere; null if not known. */
  async movedAway(): Promise<string | null> {
    return await placeProblem(this.#index, this.#place).catch(() => null);
  }

  /**
   * A writer for rows of the dataset; `OpenPublication.write` takes it, the caller closes it.
   * Aborting the signal stops what the writer is doing. `writersMax`: how many the caller has open
   * at once.
   */
  async openWriter(
    dataset: Dataset,
    signal?: AbortSignal,
    writersMax?: number,
  ): Promise<PartWriter> {
    await this.requireReadable([dataset]);
    return await this.#storage.openWriter(dataset, signal, writersMax);
  }

  /**
   * Throws a `UsageError` that shows two definitions side by side where rows which are kept of one
   * of the datasets cannot be read by the definition that it has now.
   */
  async requireReadable(datasets: readonly Dataset[]): Promise<void> {
    const conflicts = definitionConflicts(datasets, await this.#index.versions.storedLayouts());
    if (conflicts.length > 0) throw new UsageError(conflicts);
  }

  /**
   * Runs `work` as one publication, or as a part of the open one `into`. What it writes becomes
   * visible when the publication is committed, all of it at once; nothing does when it throws, and
   * the ledger keeps the reason.
   */
  async publication<T>(
    options: PublicationOptions,
    work: (publication: OpenPublication) => Promise<T>,
  ): Promise<T> {
    const publication = await this.publications.begin(options);
    return await publication.run(work);
  }

  async close(): Promise<void> {
    this.damaged.close();
    await using _index = atEnd(() => this.#index.close());
    await this.#storage.close?.();
  }
}

type Compared = Pick<IndexedPart, 'id' | 'key' | 'rowCount' | 'byteCount' | 'contentDigest'>;

function totalsOf(part: Compared | undefined): PartTotals | null {
  if (!part) return null;
  const { id, rowCount, byteCount, contentDigest } = part;
  return { partId: id, rowCount, byteCount, contentDigest };
}

/** One for each partition that is not the same part in both, in the order of the keys. */
function partDiff(from: readonly Compared[], to: readonly Compared[]): PartChange[] {
  const was = new Map(from.map((part) => [part.key, part]));
  const is = new Map(to.map((part) => [part.key, part]));
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((key): PartChange[] => {
    const before = totalsOf(was.get(key));
    const after = totalsOf(is.get(key));
    if (before?.partId === after?.partId) return [];
    const change = before === null ? 'added' : after === null ? 'removed' : 'replaced';
    return [{ key, change, before, after }];
  });
}
