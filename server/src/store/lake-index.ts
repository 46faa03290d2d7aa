/**
 * The lake's index: which parts make up the versions of each dataset, what their row groups hold,
 * which parts are on their way in or out, and the ledger of publications. Every method is one
 * transaction: all of it counts, or none where it rejects, and whoever asks afterwards, in any
 * process, sees it.
 */
import { commit, stage } from './lake-commits.ts';
import { LakeMoves } from './lake-moves.ts';
import type { CommittedVersion, LakeDatabase, StagedChange, Undoing } from './lake-records.ts';
import { LakeSpace } from './lake-space.ts';
import { LakeVersions } from './lake-versions.ts';
import { Ledger } from './ledger.ts';
import type { LoadedDates } from './publications.ts';
import type { PublisherLocks } from './publisher-locks.ts';
import { Securities } from './securities.ts';
import type { StoreSnapshot } from './store-snapshot.ts';

export * from './lake-records.ts';

/** The parts of an index that differ between kinds of store. */
export interface IndexPlace {
  readonly database: LakeDatabase;
  readonly publishers: PublisherLocks;
  /** See `LakeIndex`. */
  changeMark(): Promise<string>;
  /** See `LakeMoves`. */
  storeName(): Promise<string>;
  /** See `LakeIndex`. */
  openSnapshot(): Promise<StoreSnapshot>;
  close(): Promise<void>;
}

export class LakeIndex {
  /** For whoever has the index open. */
  readonly publishers: PublisherLocks;
  readonly ledger: Ledger;
  readonly versions: LakeVersions;
  readonly space: LakeSpace;
  readonly securities: Securities;
  readonly moves: LakeMoves;
  readonly #place: IndexPlace;

  constructor(place: IndexPlace) {
    const { database, publishers } = place;
    this.publishers = publishers;
    this.ledger = new Ledger(database);
    this.versions = new LakeVersions(database);
    this.space = new LakeSpace(database);
    this.securities = new Securities(database);
    this.moves = new LakeMoves(database, () => place.storeName());
    this.#place = place;
  }

  /** A text that is another one after any change, by this connection or another one. */
  changeMark(): Promise<string> {
    return this.#place.changeMark();
  }

  /**
   * Keeps a change until its publication is committed, over what was staged for the same partitions
   * before. Its new parts are pending no more, and the ledger knows its sources. Rejects with a
   * `PublicationConflict` where the publication has ended. The publishing lock is held.
   */
  stage(publicationId: number, change: StagedChange): Promise<void> {
    return this.#place.database.publish((queries) => stage(queries, publicationId, change));
  }

  /**
   * Publishes all that is staged for a publication, each dataset as its next version, and ends it.
   * Rejects with a `PublicationConflict` where it has ended already or a dataset has changed
   * meanwhile. The publishing lock is held.
   */
  commit(
    publicationId: number,
    nowMs: number,
    undoing: readonly Undoing[] = [],
    loaded: readonly LoadedDates[] = [],
  ): Promise<CommittedVersion[]> {
    return this.#place.database.publish((queries) =>
      commit(queries, publicationId, nowMs, undoing, loaded),
    );
  }

  /** Takes what is committed now as a snapshot. */
  openSnapshot(): Promise<StoreSnapshot> {
    return this.#place.openSnapshot();
  }

  close(): Promise<void> {
    return this.#place.close();
  }
}
