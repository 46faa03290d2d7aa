/** The lake's index in SQLite. Every change is one transaction without a wait in it. */
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import type { CommittedVersion, LakeIndex, StagedChange, Undoing } from '../lake-index.ts';
import type { PublisherLocks } from '../publisher-locks.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import { LakeCommits } from './lake-commits.ts';
import { LakeDatabase } from './lake-database.ts';
import { SqliteLedger } from './lake-ledger.ts';
import { SqliteLakeMoves } from './lake-moves.ts';
import { SqliteSecurities } from './lake-securities.ts';
import { SqliteLakeSpace } from './lake-space.ts';
import { SqliteLakeVersions } from './lake-versions.ts';
import { FilePublisherLocks } from './publisher-locks.ts';
import type { Statement } from './statements.ts';
import { openSnapshot } from './store-snapshot.ts';

/** The lake's index in one SQLite file, which any number of processes may have open. */
export class SqliteLakeIndex implements LakeIndex {
  readonly publishers: PublisherLocks;
  readonly ledger: SqliteLedger;
  readonly versions: SqliteLakeVersions;
  readonly space: SqliteLakeSpace;
  readonly securities: SqliteSecurities;
  readonly moves: SqliteLakeMoves;
  readonly #path: string;
  readonly #database: LakeDatabase;
  readonly #changes: Statement;
  readonly #commits: LakeCommits;

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
    this.space = new SqliteLakeSpace(this.#database);
    this.securities = new SqliteSecurities(this.#database);
    this.moves = new SqliteLakeMoves(path, this.#database);
    this.versions = new SqliteLakeVersions(this.#database);
  }

  async changeMark(): Promise<string> {
    return `${this.#changes.get()?.data_version}:${this.#database.ownChangeCount}`;
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

  async openSnapshot(): Promise<StoreSnapshot> {
    return openSnapshot(this.#path);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
