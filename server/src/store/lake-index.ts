/**
 * The lake's index: which parts make up the versions of each dataset, what their row groups hold,
 * which parts are on their way in or out, and the ledger of publications. Every method is one
 * transaction: all of it counts, or none where it rejects, and whoever asks afterwards, in any process,
 * sees it.
 */
import type { Part, RowGroup, StoredColumn, WrittenPart } from '../engine/part.ts';
import type { KeptParts, KeptTotals } from './kept-parts.ts';
import type { Ledger, PublicationSource } from './publications.ts';
import type { PublisherLocks } from './publisher-locks.ts';
import type { Securities } from './securities.ts';
import type { StoreSnapshot } from './store-snapshot.ts';

export interface IndexedDataset {
  /** The current version: 1 for the first publication, one more for each later one. */
  readonly version: number;
  /** UTC, whole seconds, `Z`. */
  readonly publishedAt: string;
  /** The first version that can still be read. */
  readonly firstVersion: number;
}

export interface IndexedPart extends Part {
  readonly datasetId: string;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** Digest of its rows, see `engine/content-digest.ts`. */
  readonly contentDigest: string;
  /** All bytes that are stored of it. */
  readonly storedByteCount: number;
  /** Who its rows come from: distinct names. */
  readonly vendors: readonly string[];
  /** The publications that its rows were loaded by. */
  readonly publicationIds: readonly number[];
  readonly storedColumns: readonly StoredColumn[];
}

export interface NewPart extends Omit<IndexedPart, 'id' | 'datasetId'>, WrittenPart {}

/** What becomes of one partition. */
export interface StagedPart {
  readonly key: string;
  /** A new part, the id of one that the index has, or nothing. */
  readonly part: NewPart | number | null;
  /** The part that it takes the place of, which has to be current still at the commit; null: none. */
  readonly baseId: number | null;
}

/** A change of one dataset that waits for its commit. */
export interface StagedChange {
  readonly datasetId: string;
  /** The version that has to be current at the commit; null: any. */
  readonly baseVersion: number | null;
  readonly parts: readonly StagedPart[];
  /** What the rows were loaded from, if the ledger does not know yet. */
  readonly sources?: readonly PublicationSource[];
}

/** What a rollback undoes. */
export type Undoing =
  /** All that was published into the dataset after the version. */
  | { readonly datasetId: string; readonly toVersion: number }
  | { readonly datasetId: string; readonly publicationId: number };

export interface CommittedVersion {
  readonly datasetId: string;
  readonly version: number;
}

/** A version of a dataset, also one whose parts are gone. */
export interface VersionRecord {
  readonly version: number;
  readonly publicationId: number;
  /** UTC, whole seconds, `Z`. */
  readonly publishedAt: string;
  readonly partCount: number;
  readonly rowCount: number;
  readonly byteCount: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly contentDigest: string;
  /** Whether it can still be read. */
  readonly isRetained: boolean;
}

export interface VersionsQuery {
  readonly limit: number;
  /** Only versions before it. */
  readonly before?: number | undefined;
}

/** A dataset and the parts of one version in order of their keys, both of one moment. */
export interface IndexedVersion extends IndexedDataset {
  readonly parts: readonly IndexedPart[];
}

/** A part that earlier versions have and the current one has not. */
export interface ReplacedPart {
  readonly datasetId: string;
  /** The last version that has it. */
  readonly lastVersion: number;
  readonly storedByteCount: number;
}

/** A version that is retained though it is not the current one. */
export interface ReplacedVersion {
  readonly datasetId: string;
  readonly version: number;
  /** When the next one came: UTC, whole seconds, `Z`. */
  readonly replacedAt: string;
}

/** All that retention goes by, of one moment. */
export interface Replaced {
  /** In order of dataset and version. */
  readonly versions: readonly ReplacedVersion[];
  readonly parts: readonly ReplacedPart[];
  readonly currentVersions: ReadonlyMap<string, number>;
}

/** Parts of a dataset that store the same columns in partitions of the same span. */
export interface StoredLayout {
  readonly datasetId: string;
  readonly storedColumns: readonly StoredColumn[];
  /** The key of one of them. */
  readonly key: string;
  readonly partCount: number;
}

/** Parts of the lake, and their bytes as stored. */
export interface StoredBytes {
  readonly datasetId: string;
  /** Of the current version. */
  readonly currentByteCount: number;
  /** Of earlier versions alone. */
  readonly replacedByteCount: number;
}

/** Leftovers of publications that came to nothing, and parts of dropped versions. */
export interface Leftovers {
  /** Locations. */
  readonly pending: readonly string[];
  readonly retired: readonly string[];
}

/** Rejects what somebody else has decided meanwhile; nothing has changed. */
export class PublicationConflict extends Error {
  override readonly name = 'PublicationConflict';
}

/** Reads the versions of datasets, the parts that they are made of, and what these hold. */
export interface LakeVersions {
  /** Null: nothing is published. */
  dataset(datasetId: string): Promise<IndexedDataset | null>;

  /**
   * The parts of a version, by default the current one; null where there is no such version or it is
   * no longer retained.
   */
  version(datasetId: string, version?: number): Promise<IndexedVersion | null>;

  /** At most `limit` versions of a dataset before one, or the last ones; the newest first. */
  records(datasetId: string, query: VersionsQuery): Promise<readonly VersionRecord[]>;

  /** Null: there never was one. */
  record(datasetId: string, version: number): Promise<VersionRecord | null>;

  /** The version that was current at a time (UTC, whole seconds, `Z`); null: none was. */
  asOf(datasetId: string, time: string): Promise<number | null>;

  /** Whether no current version has a part. */
  isEmpty(): Promise<boolean>;

  /** The vendors of all current versions, each once, in order; '' where rows have none. */
  vendors(): Promise<readonly string[]>;

  /** A part of any version, also one that is dropped and not swept yet; null: there is none. */
  part(partId: number): Promise<IndexedPart | null>;

  /** The row groups of each of the parts, in the same order. Rejects where one is forgotten. */
  rowGroups(partIds: readonly number[]): Promise<readonly (readonly RowGroup[])[]>;

  /** Those of their identifier orders likewise; null for a part that has none. */
  identifierOrders(partIds: readonly number[]): Promise<readonly (readonly RowGroup[] | null)[]>;

  /** What is staged of a dataset for a publication, in order of keys; null: nothing. */
  staged(publicationId: number, datasetId: string): Promise<readonly StagedVersionPart[] | null>;

  /** How the parts of all datasets are stored that a version which can be read has. */
  storedLayouts(): Promise<readonly StoredLayout[]>;
}

/** What takes space in the lake: parts that are kept, those on their way in, and those to be removed. */
export interface LakeSpace extends KeptParts {
  /** Notes locations before anything is written there, and when. The publishing lock is held. */
  addPending(locations: readonly string[], nowMs: number): Promise<void>;

  /** What is staged for all publications that are open for any process; partitions that will go count. */
  stagedTotals(): Promise<KeptTotals>;

  /**
   * Parts retired at or before `retiredMsMax`, and those of publications that came to nothing, noted at or before
   * `pendingMsMax`: no version that can be read has any of them.
   */
  leftovers(retiredMsMax: number, pendingMsMax?: number): Promise<Leftovers>;

  /** Notes that leftovers were removed. The publishing lock is held. */
  forget(leftovers: Leftovers): Promise<void>;

  /** Whether something may be stored at a location: a part, also a replaced one, or one on its way in. */
  knowsLocation(location: string): Promise<boolean>;

  replaced(): Promise<Replaced>;

  /**
   * Retains the versions of a dataset from `firstVersion` on, and retires the parts that only earlier
   * ones have. The current version always stays.
   */
  dropVersions(datasetId: string, firstVersion: number, nowMs: number): Promise<void>;

  storedBytes(): Promise<readonly StoredBytes[]>;
}

/** A part as it is stored in the place that a lake is moved to. */
export interface MovedPart
  extends Pick<
    WrittenPart,
    'digest' | 'byteCount' | 'storedByteCount' | 'rowGroups' | 'identifierOrder'
  > {
  readonly partId: number;
  readonly location: string;
}

/** Where a part is being stored, or is stored by now, in the place that a lake is moved to. */
export interface BegunMove extends Pick<MovedPart, 'location' | 'storedByteCount'> {
  /** Whether all of it is there. */
  readonly isWhole: boolean;
}

/**
 * Where the parts of the lake lie, such as in the home or in a bucket, and moves to places where they are stored
 * in another form, with other locations.
 */
export interface LakeMoves {
  /** Notes where the parts lie, unless that is noted already; the place that is. */
  settlePlace(place: string): Promise<string>;

  /** A name of this very store, which no copy of it has: a place that is another store's is told by it. */
  storeName(): Promise<string>;

  /** That of the last claim of a place which the store has noted; 0: none. */
  epoch(): Promise<number>;

  /** After `settlePlace`. A later one that is known stays: several processes may claim a place at once. */
  noteEpoch(epoch: number): Promise<void>;

  /** Notes that the parts lie in another place, at the same locations. The publishing lock is held. */
  changePlace(place: string): Promise<void>;

  /** Null: nobody has begun to store the part in the place. */
  begunMove(place: string, partId: number): Promise<BegunMove | null>;

  /** Notes a location before anything is written there. */
  noteMoving(place: string, partId: number, location: string): Promise<void>;

  /** Notes that a part lies in a place, over what was noted before. */
  noteMoved(place: string, part: MovedPart): Promise<void>;

  /**
   * Has all parts be those of a place, and forgets what was to be removed from the place before. Rejects with a
   * `PublicationConflict` where one is not there yet, or a publication is open. The publishing lock is held.
   */
  finishMove(place: string): Promise<void>;
}

export interface LakeIndex {
  /** For whoever has the index open. */
  readonly publishers: PublisherLocks;
  readonly ledger: Ledger;
  readonly versions: LakeVersions;
  readonly space: LakeSpace;
  readonly securities: Securities;
  readonly moves: LakeMoves;

  /** A text that is another one after any change, by this connection or another one. */
  changeMark(): Promise<string>;

  /**
   * Keeps a change until its publication is committed, over what was staged for the same partitions
   * before. Its new parts are pending no more, and the ledger knows its sources. Rejects with a
   * `PublicationConflict` where the publication has ended. The publishing lock is held.
   */
  stage(publicationId: number, change: StagedChange): Promise<void>;

  /**
   * Publishes all that is staged for a publication, each dataset as its next version, and ends it.
   * Rejects with a `PublicationConflict` where it has ended already or a dataset has changed meanwhile.
   * The publishing lock is held.
   */
  commit(
    publicationId: number,
    nowMs: number,
    undoing?: readonly Undoing[],
  ): Promise<readonly CommittedVersion[]>;

  /** Takes what is committed now as a snapshot. */
  openSnapshot(): Promise<StoreSnapshot>;

  close(): Promise<void>;
}

/** What a dataset's partition will be when a publication is committed; no part: it will be gone. */
export interface StagedVersionPart {
  readonly key: string;
  readonly part: IndexedPart | null;
  readonly baseId: number | null;
}
