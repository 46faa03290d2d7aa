/** Records of the lake's index: parts, versions, and changes on their way in. */
import type { Part, StoredColumn, WrittenPart } from '../engine/part.ts';
import type { PublicationSource } from './publications.ts';
import type { Queries } from './queries.ts';
import { Records } from './records.ts';

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

/** A part as it is kept, with its columns by their id and its row groups as a text. */
export interface KeptPartFields extends Omit<IndexedPart, 'storedColumns'> {
  readonly storedColumnsId: number;
  readonly rowGroups: string;
}

export const PARTS = new Records<KeptPartFields>({
  table: 'part',
  fields: { part_id: 'id' },
  json: { vendors: JSON.parse, publicationIds: JSON.parse },
});

export interface NewPart extends Omit<IndexedPart, 'id' | 'datasetId'>, WrittenPart {}

/** The change of one partition. */
export interface StagedPart {
  readonly key: string;
  /** A new part, the id of one that the index has, or nothing. */
  readonly part: NewPart | number | null;
  /**
   * The part that it takes the place of, which has to be current still at the commit; null: none.
   */
  readonly baseId: number | null;
}

/** A change of one dataset that waits for its commit. */
export interface StagedChange {
  readonly datasetId: string;
  /** The version that has to be current at the commit; null: any. */
  readonly baseVersion: number | null;
  readonly parts: readonly StagedPart[];
  /** Sources of the rows, if the ledger does not know them yet. */
  readonly sources?: readonly PublicationSource[];
}

/** The publications that a rollback undoes. */
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
  /** True if it can still be read. */
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
  /** Bytes of the current version. */
  readonly currentByteCount: number;
  /** Bytes of earlier versions alone. */
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

/** A part as it is stored in the place that a lake is moved to. */
export interface MovedPart
  extends Pick<
    WrittenPart,
    'digest' | 'byteCount' | 'storedByteCount' | 'rowGroups' | 'identifierOrder'
  > {
  readonly partId: number;
  readonly location: string;
}

/** A part's location in the place that a lake is moved to, written or being written. */
export interface BegunMove extends Pick<MovedPart, 'location' | 'storedByteCount'> {
  /** True if all of it is there. */
  readonly isWhole: boolean;
}

/** A partition as a commit will leave it; no part: it will be gone. */
export interface StagedVersionPart extends Omit<StagedPart, 'part'> {
  readonly part: IndexedPart | null;
}

type Work<T> = (queries: Queries) => Promise<T>;

/**
 * The database of an index: reads of what is committed, and changes that each leave another mark.
 */
export interface LakeDatabase extends Pick<Queries, 'all' | 'get'> {
  /** Runs `work` in one write transaction; nobody else changes the index before its end. */
  change<T>(work: Work<T>): Promise<T>;
  /** Likewise, for whoever has the publishing lock; rejects where it was lost. */
  publish<T>(work: Work<T>): Promise<T>;
  /** Runs `work` as of one moment. */
  read<T>(work: Work<T>): Promise<T>;
}
