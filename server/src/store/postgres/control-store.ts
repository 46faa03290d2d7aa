/**
 * The control store in PostgreSQL, which any number of servers and commands may have open at the same time. One
 * transaction writes at a time, under a lock of the database's; whatever is read outside sees what is committed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { UsageError } from '../../base/errors.ts';
import type { ControlStore, Outage, StoreTransaction, WriteKind } from '../control-store.ts';
import { type Replica, ReplicaMemory } from '../replica.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import { WriteObserver } from '../write-observer.ts';
import { addressText, type PostgresAddress } from './address.ts';
import { ChangeLog } from './change-log.ts';
import { LOOK_LIMITS } from './connection.ts';
import { CONTROL_MIGRATIONS, CONTROL_USABLE_FROM } from './control-schema.ts';
import { PostgresDatabase } from './database.ts';
import { Grace } from './grace.ts';
import { deploymentOf, migrate, type StorePart } from './migrations.ts';
import { PostgresSession } from './postgres-session.ts';
import { NOT_IN_FILES } from './settings.ts';
import { PostgresSharedRates } from './shared-rates.ts';
import { PostgresSharedSecrets } from './shared-secrets.ts';
import { PostgresSharedUsage } from './shared-usage.ts';
import { Tables } from './tables.ts';
import type { TransactionQueries } from './transaction-queries.ts';

export const CONTROL_PART: StorePart = {
  name: 'control',
  migrations: CONTROL_MIGRATIONS,
  usableFrom: CONTROL_USABLE_FROM,
};

/** How long a commit is looked for whose answer was lost. Usage can wait: written twice, it would be wrong. */
const DOUBT_MS: Readonly<Record<WriteKind, number>> = { usage: 60_000, change: 5000 };

export interface PostgresStoreOptions {
  /** How long requests go on by what is known when the database is away; not at all by default. */
  readonly graceMs?: number;
}

export class PostgresControlStore implements ControlStore {
  /** The same for all who share the store. */
  readonly deploymentId: string;
  readonly replica: Replica;
  readonly writes: WriteObserver;
  readonly offers: Tables['offers'];
  readonly identities: Tables['identities'];
  readonly keys: Tables['keys'];
  readonly rules: Tables['rules'];
  readonly accessRequests: Tables['accessRequests'];
  readonly people: Tables['people'];
  readonly personLinks: Tables['personLinks'];
  readonly sessions: Tables['sessions'];
  readonly secondFactors: Tables['secondFactors'];
  readonly signInPlaces: Tables['signInPlaces'];
  readonly audit: Tables['audit'];
  readonly usage: Tables['usage'];
  readonly sharedUsage: PostgresSharedUsage;
  readonly sharedRates: PostgresSharedRates;
  readonly sharedSecrets: PostgresSharedSecrets;
  readonly #database: PostgresDatabase;
  readonly #session: PostgresSession;
  readonly #reserving: PostgresSession;
  readonly #grace: Grace;
  /** The transaction that the running code is a part of. */
  readonly #around = new AsyncLocalStorage<TransactionQueries>();

  private constructor(database: PostgresDatabase, deploymentId: string, graceMs: number) {
    const replica = new ReplicaMemory();
    const session = new PostgresSession(database.address, LOOK_LIMITS);
    const changes = new ChangeLog(database, session);
    const look = async () => {
      const changed = await changes.changesSince(replica.position);
      if (changed) replica.apply(changed);
    };
    const grace = new Grace({ look, graceMs, database: addressText(database.address) });
    this.#reserving = new PostgresSession(database.address, LOOK_LIMITS);
    this.sharedRates = new PostgresSharedRates(database);
    this.sharedSecrets = new PostgresSharedSecrets(database);
    this.sharedUsage = new PostgresSharedUsage(database, this.#reserving);
    const committed = new Tables(database, this.sharedUsage.serverId);
    this.offers = committed.offers;
    this.identities = committed.identities;
    this.keys = committed.keys;
    this.rules = committed.rules;
    this.accessRequests = committed.accessRequests;
    this.people = committed.people;
    this.personLinks = committed.personLinks;
    this.sessions = committed.sessions;
    this.secondFactors = committed.secondFactors;
    this.signInPlaces = committed.signInPlaces;
    this.audit = committed.audit;
    this.usage = committed.usage;
    this.deploymentId = deploymentId;
    this.replica = replica;
    this.writes = new WriteObserver(() => grace.problem);
    this.#database = database;
    this.#session = session;
    this.#grace = grace;
  }

  /**
   * Brings the tables up to date, if the user may do so. Rejects with a `UsageError` that says what to
   * change, or with a `StoreUnavailableError` where the database is away.
   */
  static async open(
    address: PostgresAddress,
    { graceMs = 0 }: PostgresStoreOptions = {},
  ): Promise<PostgresControlStore> {
    const database = new PostgresDatabase(address);
    try {
      await migrate(database, CONTROL_PART);
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

  async transaction<T>(
    work: (tx: StoreTransaction) => Promise<T>,
    kind: WriteKind = 'change',
  ): Promise<T> {
    // It would wait for itself.
    if (this.#around.getStore()?.isOver === false) {
      throw new Error('a transaction cannot begin inside another one');
    }
    const inside = (queries: TransactionQueries) =>
      this.#around.run(queries, () => work(new Tables(queries, this.sharedUsage.serverId)));
    return this.writes.observe(kind, async () => {
      // A look gives up much sooner on a database that does not answer.
      if (this.#grace.problem !== null) await this.#grace.look();
      return this.#database.transaction('control', inside, DOUBT_MS[kind]);
    });
  }

  /** Its copies are PostgreSQL's own matter. */
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
    await this.#database.close();
  }
}
