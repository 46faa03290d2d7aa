/** The lake's index in SQLite. Every change is one transaction without a wait in it. */
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
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
import type { PublisherLocks } from '../publisher-locks.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import { KeptPartsTable } from './kept-parts.ts';
import { LakeCommits } from './lake-commits.ts';
import { LakeDatabase } from './lake-database.ts';
import { SqliteLedger } from './lake-ledger.ts';
import { LakeSpace } from './lake-space.ts';
import { LakeVersions } from './lake-versions.ts';
import { FilePublisherLocks } from './publisher-locks.ts';
import type { Statement } from './statements.ts';
import { openSnapshot } from './store-snapshot.ts';

/** The lake's index in one SQLite file, which any number of processes may have open. */
export class SqliteLakeIndex implements LakeIndex {
  readonly publishers: PublisherLocks;
  readonly ledger: SqliteLedger;
  readonly #path: string;
  readonly #database: LakeDatabase;
  readonly #changes: Statement;
  readonly #commits: LakeCommits;
  readonly #kept: KeptPartsTable;
  readonly #space: LakeSpace;
  readonly #versions: LakeVersions;

  /** Publishers keep their locks in the folder `lake` beside the file. */
  constructor(path: string) {
    const directory = join(dirname(path), 'lake');
    makeFolder(directory, 0o700);
    this.publishers = new FilePublisherLocks(directory);
    this.#path = path;
    this.#database = new LakeDatabase(path);
    this.#changes = this.#database.source.prepare('PRAGMA data_version');
    this.ledger = new SqliteLedger(this.#database);
    this.#commits = new LakeCommits(this.#database, this.ledger);
    this.#kept = new KeptPartsTable(this.#database.source);
    this.#space = new LakeSpace(this.#database);
    this.#versions = new LakeVersions(this.#database);
  }

  async changeMark(): Promise<string> {
    return `${this.#changes.get()?.data_version}:${this.#database.ownChangeCount}`;
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

  async stage(publicationId: number, change: StagedChange): Promise<void> {
    this.#database.change(() => this.#commits.stage(publicationId, change));
  }

  async commit(
    publicationId: number,
    nowMs: number,
    undoing: readonly Undoing[] = [],
  ): Promise<CommittedVersion[]> {
    return this.#database.change(() => this.#commits.commit(publicationId, nowMs, undoing));
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
    return this.#kept.keptParts(afterId, count);
  }

  keptTotals(): Promise<KeptTotals> {
    return this.#kept.keptTotals();
  }

  keepsLocation(location: string): Promise<boolean> {
    return this.#kept.keepsLocation(location);
  }

  knowsLocation(location: string): Promise<boolean> {
    return this.#kept.knowsLocation(location);
  }

  async openSnapshot(): Promise<StoreSnapshot> {
    return openSnapshot(this.#path);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
