/**
 * The control store in PostgreSQL, which any number of servers and commands may have open at the
 * same time. One transaction writes at a time, under a lock of the database's; whatever is read
 * outside sees what is committed.
 */
import { UsageError } from '../../base/errors.ts';
import { changesSince, positionOf } from '../changes.ts';
import type { ControlStore, Outage } from '../control-store.ts';
import { type Replica, ReplicaMemory } from '../replica.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import {
  CommittedTables,
  type TransactionQueries,
  type WriteKind,
  WriteObserver,
} from '../tables.ts';
import { addressText, type PostgresAddress } from './address.ts';
import { LOOK_LIMITS } from './connection.ts';
import { PostgresCountedUsage } from './counted-usage.ts';
import { PostgresDatabase } from './database.ts';
import { Grace } from './grace.ts';
import { deploymentOf, openMigrated } from './migrations.ts';
import { PostgresSession } from './postgres-session.ts';
import { CONTROL_PART } from './schema.ts';
import { NOT_IN_FILES } from './settings.ts';
import { PostgresSharedRates } from './shared-rates.ts';
import { PostgresSharedSecrets } from './shared-secrets.ts';
import { PostgresSharedUsage } from './shared-usage.ts';

/**
 * How long a commit is looked for whose answer was lost. Usage can wait: written twice, it would be
 * wrong.
 */
const DOUBT_MS: Readonly<Record<WriteKind, number>> = { usage: 60_000, change: 5000 };

export interface PostgresStoreOptions {
  /** How long requests go on by what is known when the database is away; not at all by default. */
  readonly graceMs?: number;
}

/** Takes over changes into a replica, by a look that gives up soon. */
function lookInto(replica: ReplicaMemory, database: PostgresDatabase, session: PostgresSession) {
  let connectionCount = 0;
  return async () => {
    const now = await positionOf(session);
    // Another connection may lead to another server, which took over and may lack the last changes.
    const found = session.connectionCount;
    const from = found === connectionCount ? replica.position : null;
    if (from === now) return;
    replica.apply(await database.reading((queries) => changesSince(queries, from)));
    connectionCount = found;
  };
}

export class PostgresControlStore extends CommittedTables implements ControlStore {
  /** Shared by all servers of the store. */
  readonly deploymentId: string;
  readonly replica: Replica;
  readonly writes: WriteObserver;
  readonly sharedUsage: PostgresSharedUsage;
  readonly sharedRates: PostgresSharedRates;
  readonly sharedSecrets: PostgresSharedSecrets;
  readonly #database: PostgresDatabase;
  /** Asked before every request: a connection of its own need not be waited for. */
  readonly #session: PostgresSession;
  readonly #reserving: PostgresSession;
  /** Changes are read while writers wait for each other with all other connections. */
  readonly #reading: PostgresDatabase;
  readonly #grace: Grace;

  private constructor(database: PostgresDatabase, deploymentId: string, graceMs: number) {
    const { address } = database;
    const reserving = new PostgresSession(address, LOOK_LIMITS);
    const sharedUsage = new PostgresSharedUsage(database, reserving);
    super(database, new PostgresCountedUsage(sharedUsage.serverId));
    const replica = new ReplicaMemory();
    const session = new PostgresSession(address, LOOK_LIMITS);
    const reading = new PostgresDatabase(address, 1);
    const look = lookInto(replica, reading, session);
    const grace = new Grace({ look, graceMs, database: addressText(address) });
    this.sharedUsage = sharedUsage;
    this.sharedRates = new PostgresSharedRates(database);
    this.sharedSecrets = new PostgresSharedSecrets(database);
    this.deploymentId = deploymentId;
    this.replica = replica;
    this.writes = new WriteObserver(() => grace.problem);
    this.#database = database;
    this.#session = session;
    this.#reserving = reserving;
    this.#reading = reading;
    this.#grace = grace;
  }

  /**
   * Brings the tables up to date, if the user may do so. Rejects with a `UsageError` that says what
   * to change, or with a `StoreUnavailableError` where the database is away.
   */
  static async open(
    address: PostgresAddress,
    { graceMs = 0 }: PostgresStoreOptions = {},
  ): Promise<PostgresControlStore> {
    const database = await openMigrated(address, [CONTROL_PART]);
    try {
      return new PostgresControlStore(database, await deploymentOf(database), graceMs);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  get outage(): Outage | null {
    return this.#grace.outage;
  }

  catchUp(): Promise<void> {
    return this.#grace.now();
  }

  protected async write<T>(
    kind: WriteKind,
    work: (queries: TransactionQueries) => Promise<T>,
  ): Promise<T> {
    // A look gives up much sooner on a database that does not answer.
    if (this.#grace.problem !== null) await this.#grace.look();
    return this.#database.transaction('control', work, DOUBT_MS[kind]);
  }

  /** PostgreSQL has its own backups. */
  async openSnapshot<T>(): Promise<readonly [StoreSnapshot, T]> {
    throw new UsageError(NOT_IN_FILES);
  }

  reservedBytes(): null {
    return null;
  }

  /** Before it counts anything. */
  async prepare(): Promise<void> {
    await this.sharedUsage.maintain();
  }

  async maintain(): Promise<void> {
    // Nobody may ask anything that would show that a problem has begun, or that it is over.
    await this.#grace.look();
    await this.sharedUsage.maintain();
    await this.sharedRates.maintain();
    if (this.writes.problem() !== null) await this.transaction(async () => undefined);
  }

  async close(): Promise<void> {
    await this.#session.close();
    await this.#reserving.close();
    await this.#reading.close();
    await this.#database.close();
  }
}
