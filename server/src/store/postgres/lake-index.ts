/** The lake's index in PostgreSQL, which any number of processes on any machines may have open. */
import { UsageError } from '../../base/errors.ts';
import type { RowGroup } from '../../engine/part.ts';
import type { KeptPart, KeptTotals } from '../kept-parts.ts';
import type {
  CommittedVersion,
  IndexedDataset,
  IndexedPart,
  IndexedVersion,
  LakeIndex,
  Leftovers,
  Replaced,
  StagedChange,
  StagedVersionPart,
  StoredBytes,
  StoredLayout,
  Undoing,
  VersionRecord,
  VersionsQuery,
} from '../lake-index.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import type { PostgresAddress } from './address.ts';
import type { PostgresStoreOptions } from './control-store.ts';
import { PostgresDatabase } from './database.ts';
import { commit } from './lake-commits.ts';
import { LakeDatabase } from './lake-database.ts';
import { PostgresLedger } from './lake-ledger.ts';
import { LakeMarks } from './lake-marks.ts';
import { LAKE_MIGRATIONS } from './lake-schema.ts';
import { LakeSpace } from './lake-space.ts';
import { stage } from './lake-stages.ts';
import { LakeVersions } from './lake-versions.ts';
import { migrate, type StorePart } from './migrations.ts';
import { PostgresPublisherLocks } from './publisher-locks.ts';

export const LAKE_PART: StorePart = { name: 'lake', migrations: LAKE_MIGRATIONS };

export class PostgresLakeIndex implements LakeIndex {
  readonly publishers: PostgresPublisherLocks;
  readonly ledger: PostgresLedger;
  readonly #connections: PostgresDatabase;
  readonly #database: LakeDatabase;
  readonly #space: LakeSpace;
  readonly #versions: LakeVersions;
  readonly #marks: LakeMarks;

  private constructor(connections: PostgresDatabase, graceMs: number) {
    this.#marks = new LakeMarks(connections.address, graceMs);
    this.publishers = new PostgresPublisherLocks(connections);
    this.#connections = connections;
    this.#database = new LakeDatabase(connections, this.publishers);
    this.ledger = new PostgresLedger(this.#database);
    this.#space = new LakeSpace(this.#database);
    this.#versions = new LakeVersions(this.#database);
  }

  /**
   * Brings the tables up to date, if the user may do so. Rejects with a `UsageError` that says what to
   * change, or with a `StoreUnavailableError` where the database is away.
   */
  static async open(
    address: PostgresAddress,
    { graceMs = 0 }: PostgresStoreOptions = {},
  ): Promise<PostgresLakeIndex> {
    const connections = new PostgresDatabase(address);
    try {
      await migrate(connections, LAKE_PART);
      return new PostgresLakeIndex(connections, graceMs);
    } catch (error) {
      await connections.close();
      throw error;
    }
  }

  changeMark(): Promise<string> {
    return this.#marks.now();
  }

  dataset(datasetId: string): Promise<IndexedDataset | null> {
    return this.#versions.dataset(datasetId);
  }

  version(datasetId: string, version?: number): Promise<IndexedVersion | null> {
    return this.#versions.version(datasetId, version);
  }

  versions(datasetId: string, query: VersionsQuery): Promise<VersionRecord[]> {
    return this.#versions.versions(datasetId, query);
  }

  versionRecord(datasetId: string, version: number): Promise<VersionRecord | null> {
    return this.#versions.versionRecord(datasetId, version);
  }

  versionAsOf(datasetId: string, time: string): Promise<number | null> {
    return this.#versions.versionAsOf(datasetId, time);
  }

  vendors(): Promise<string[]> {
    return this.#versions.vendors();
  }

  part(partId: number): Promise<IndexedPart | null> {
    return this.#versions.part(partId);
  }

  rowGroups(partIds: readonly number[]): Promise<RowGroup[][]> {
    return this.#versions.rowGroups(partIds);
  }

  identifierOrders(partIds: readonly number[]): Promise<(RowGroup[] | null)[]> {
    return this.#versions.identifierOrders(partIds);
  }

  staged(publicationId: number, datasetId: string): Promise<StagedVersionPart[] | null> {
    return this.#versions.staged(publicationId, datasetId);
  }

  storedLayouts(): Promise<StoredLayout[]> {
    return this.#versions.storedLayouts();
  }

  stage(publicationId: number, change: StagedChange): Promise<void> {
    return this.#database.publish((queries) => stage(queries, publicationId, change));
  }

  commit(
    publicationId: number,
    nowMs: number,
    undoing: readonly Undoing[] = [],
  ): Promise<CommittedVersion[]> {
    return this.#database.publish((queries) => commit(queries, publicationId, nowMs, undoing));
  }

  addPending(locations: readonly string[]): Promise<void> {
    return this.#space.addPending(locations);
  }

  leftovers(retiredMsMax: number): Promise<Leftovers> {
    return this.#space.leftovers(retiredMsMax);
  }

  forget(leftovers: Leftovers): Promise<void> {
    return this.#space.forget(leftovers);
  }

  stagedTotals(): Promise<KeptTotals> {
    return this.#space.stagedTotals();
  }

  replaced(): Promise<Replaced> {
    return this.#space.replaced();
  }

  dropVersions(datasetId: string, firstVersion: number, nowMs: number): Promise<void> {
    return this.#space.dropVersions(datasetId, firstVersion, nowMs);
  }

  storedBytes(): Promise<StoredBytes[]> {
    return this.#space.storedBytes();
  }

  keptParts(afterId: number, count: number): Promise<KeptPart[]> {
    return this.#space.keptParts(afterId, count);
  }

  keptTotals(): Promise<KeptTotals> {
    return this.#space.keptTotals();
  }

  keepsLocation(location: string): Promise<boolean> {
    return this.#space.keepsLocation(location);
  }

  knowsLocation(location: string): Promise<boolean> {
    return this.#space.knowsLocation(location);
  }

  /** Its copies are PostgreSQL's own matter. */
  async openSnapshot(): Promise<StoreSnapshot> {
    throw new UsageError(
      'the store is in PostgreSQL; back it up with pg_dump, as docs/postgresql.md describes',
    );
  }

  async close(): Promise<void> {
    await this.publishers.close();
    await this.#marks.close();
    await this.#connections.close();
  }
}
