/** The lake's index in PostgreSQL, which any number of processes on any machines may have open. */
import { UsageError } from '../../base/errors.ts';
import type { CommittedVersion, LakeIndex, StagedChange, Undoing } from '../lake-index.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import type { PostgresAddress } from './address.ts';
import type { PostgresStoreOptions } from './control-store.ts';
import { PostgresDatabase } from './database.ts';
import { commit } from './lake-commits.ts';
import { LakeDatabase } from './lake-database.ts';
import { PostgresLedger } from './lake-ledger.ts';
import { LakeMarks } from './lake-marks.ts';
import { PostgresLakeMoves } from './lake-moves.ts';
import { LAKE_MIGRATIONS } from './lake-schema.ts';
import { PostgresSecurities } from './lake-securities.ts';
import { PostgresLakeSpace } from './lake-space.ts';
import { stage } from './lake-stages.ts';
import { PostgresLakeVersions } from './lake-versions.ts';
import { migrate, type StorePart } from './migrations.ts';
import { PostgresPublisherLocks } from './publisher-locks.ts';
import { NOT_IN_FILES } from './settings.ts';

export const LAKE_PART: StorePart = { name: 'lake', migrations: LAKE_MIGRATIONS, usableFrom: 1 };

export class PostgresLakeIndex implements LakeIndex {
  readonly publishers: PostgresPublisherLocks;
  readonly ledger: PostgresLedger;
  readonly versions: PostgresLakeVersions;
  readonly space: PostgresLakeSpace;
  readonly securities: PostgresSecurities;
  readonly moves: PostgresLakeMoves;
  readonly #connections: PostgresDatabase;
  readonly #database: LakeDatabase;
  readonly #marks: LakeMarks;

  private constructor(connections: PostgresDatabase, graceMs: number) {
    this.#marks = new LakeMarks(connections.address, graceMs);
    this.publishers = new PostgresPublisherLocks(connections);
    this.#connections = connections;
    this.#database = new LakeDatabase(connections, this.publishers);
    this.ledger = new PostgresLedger(this.#database);
    this.space = new PostgresLakeSpace(this.#database);
    this.securities = new PostgresSecurities(this.#database);
    this.moves = new PostgresLakeMoves(this.#database);
    this.versions = new PostgresLakeVersions(this.#database);
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

  /** Its copies are PostgreSQL's own matter. */
  async openSnapshot(): Promise<StoreSnapshot> {
    throw new UsageError(NOT_IN_FILES);
  }

  async close(): Promise<void> {
    await this.publishers.close();
    await this.#marks.close();
    await this.#connections.close();
  }
}
