/**
 * The lake's index: which parts make up each dataset's published version, what their row groups hold,
 * which parts are on their way in or out, and how publications went. Every method is one transaction:
 * all of it counts, or none where it rejects, and whoever asks afterwards, in any process, sees it.
 */
import type { Part, RowGroup, WrittenPart } from '../engine/part.ts';
import type { KeptParts } from './kept-parts.ts';
import type { PublisherLocks } from './publisher-locks.ts';
import type { StoreSnapshot } from './store-snapshot.ts';

export interface IndexedDataset {
  /** 1 for the first publication, one more for each later one. */
  readonly version: number;
  /** UTC, whole seconds, `Z`. */
  readonly publishedAt: string;
}

export interface IndexedPart extends Part {
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** Who its rows come from: distinct names. */
  readonly vendors: readonly string[];
}

/** A part of a current version, as the watch for damage asks for it. */
export interface PublishedPart extends Pick<Part, 'key' | 'location'> {
  readonly datasetId: string;
  readonly storedByteCount: number;
}

export interface NewPart extends Omit<IndexedPart, 'id'>, WrittenPart {}

export interface NewVersion {
  readonly datasetId: string;
  /** One more than that of the version which it replaces; 1 where there is none. */
  readonly version: number;
  readonly parts: readonly NewPart[];
  /** Whether partitions that have no successor among `parts` are dropped. */
  readonly dropsOthers: boolean;
}

/** How a publication ended that published nothing. */
export type UnpublishedState = 'refused' | 'failed';
export type EndState = UnpublishedState | 'succeeded';

/** The last publication of a dataset, or the one under way. */
export interface PublicationStatus {
  /**
   * `none`: nobody has tried to publish it. `refused`: the data or the command was at fault;
   * `failed`: something else, or the process was interrupted.
   */
  readonly state: 'none' | 'running' | 'succeeded' | UnpublishedState;
  /** Times are UTC, whole seconds, `Z`. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Why nothing was published, for the operator. */
  readonly message: string | null;
}

export interface RunningPublication {
  readonly publicationId: number;
  readonly startedAt: string;
  readonly lifeMark: string;
}

export interface NewPublication {
  readonly datasetIds: readonly string[];
  /** The command that publishes, such as `ingest`. */
  readonly command: string;
  /** The name of the life mark that its process holds while it runs. */
  readonly lifeMark: string;
  readonly startedAt: string;
}

/** Leftovers of crashed publications and replaced versions. */
export interface Leftovers {
  /** Locations. */
  readonly pending: readonly string[];
  readonly retired: readonly string[];
}

/** A dataset and its parts in order of their keys, both of one moment. */
export interface IndexedVersion extends IndexedDataset {
  readonly parts: readonly IndexedPart[];
}

/** Rejects what somebody else has decided meanwhile; nothing has changed. */
export class PublicationConflict extends Error {
  override readonly name = 'PublicationConflict';
}

export interface LakeIndex extends KeptParts {
  /** For whoever has the index open. */
  readonly publishers: PublisherLocks;

  /** A text that is another one after any change, by this connection or another one. */
  changeMark(): Promise<string>;

  /** Null: nothing is published. */
  dataset(datasetId: string): Promise<IndexedDataset | null>;

  /** Null: nothing is published. */
  version(datasetId: string): Promise<IndexedVersion | null>;

  /** The vendors of all that is published, each once, in order; '' where rows have none. */
  vendors(): Promise<readonly string[]>;

  /** The row groups of each of the parts, in the same order. Rejects where one is forgotten. */
  rowGroups(partIds: readonly number[]): Promise<readonly (readonly RowGroup[])[]>;

  /** At most `count` parts of all current versions, those after `last`; null begins anew. */
  publishedParts(last: PublishedPart | null, count: number): Promise<readonly PublishedPart[]>;

  /** The last publication of a dataset that has ended. */
  lastFinished(datasetId: string): Promise<PublicationStatus>;

  /** Publications of a dataset that have not ended, the newest first; some may be dead. */
  runningOf(datasetId: string): Promise<readonly RunningPublication[]>;

  /** All publications that have not ended, the newest first; some may be dead. */
  running(): Promise<readonly RunningPublication[]>;

  /** How many publications of a dataset have published nothing because they were refused or failed. */
  unpublishedCount(datasetId: string): Promise<number>;

  /** Notes that a publication has begun; resolves to its id. */
  begin(publication: NewPublication): Promise<number>;

  /** Notes locations before anything is written there. The publishing lock is held. */
  addPending(locations: readonly string[]): Promise<void>;

  /**
   * Makes all of the versions current, or none, retires the parts that they replace, and ends the
   * publication. Rejects with a `PublicationConflict` where it has ended already or a version is not
   * the next one of its dataset. The publishing lock is held.
   */
  commit(publicationId: number, versions: readonly NewVersion[], nowMs: number): Promise<void>;

  /**
   * Notes that a publication has ended without a change of any dataset. One that has ended already,
   * such as by another process that took it for dead, stays as it is.
   */
  finish(
    publicationId: number,
    state: EndState,
    message: string,
    finishedAt: string,
  ): Promise<void>;

  /** Notes that nothing is left at the pending locations. The publishing lock is held. */
  clearPending(): Promise<void>;

  /** Parts of publications that died, and those replaced at or before `retiredMsMax`. */
  leftovers(retiredMsMax: number): Promise<Leftovers>;

  /** Notes that leftovers were removed. The publishing lock is held. */
  forget(leftovers: Leftovers): Promise<void>;

  /** Whether something may be stored at a location: a part, also a replaced one, or one on its way in. */
  knowsLocation(location: string): Promise<boolean>;

  /** Takes what is committed now as a snapshot. */
  openSnapshot(): Promise<StoreSnapshot>;

  close(): Promise<void>;
}
