/**
 * The control store in one SQLite file, which the server and the command line may have open at the
 * same time. One connection writes, in one transaction after the other; another one reads what is
 * committed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { diskProblem } from '../../base/disk-problem.ts';
import { ArrivalQueue, Semaphore } from '../../base/semaphore.ts';
import { CatchUp } from '../catch-up.ts';
import type { ControlStore, StoreTransaction, WriteKind } from '../control-store.ts';
import { type Replica, ReplicaMemory } from '../replica.ts';
import { StoreBusyError } from '../store-errors.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import { WriteObserver } from '../write-observer.ts';
import { ChangeLog } from './change-log.ts';
import { BUSY_TIMEOUT_MS, openDatabase } from './database.ts';
import { addQuantityColumns } from './quantity-columns.ts';
import { MIGRATIONS } from './schema.ts';
import { Statements, TransactionStatements } from './statements.ts';
import { StoreReserve } from './store-reserve.ts';
import { openSnapshot } from './store-snapshot.ts';
import { Tables } from './tables.ts';

export interface ControlStoreOptions {
  /** How long a lock of another process is waited for; 30 seconds by default. */
  readonly busyTimeoutMs?: number;
  /** Space to keep for a full disk; none by default. `prepare` makes it. */
  readonly reserveBytes?: number;
}

const BUSY_RETRY_MS = 5;

export class SqliteControlStore implements ControlStore {
  readonly replica: Replica;
  readonly writes: WriteObserver;
  readonly outage = null;
  /** One server alone has a home, and counts and keeps secrets there. */
  readonly sharedUsage = null;
  readonly sharedRates = null;
  readonly sharedSecrets = null;
  readonly #path: string;
  readonly #committed: Tables;
  readonly #reader: Statements;
  readonly #writer: Statements;
  readonly #busyTimeoutMs: number;
  readonly #reserve: StoreReserve;
  readonly #catchUp: CatchUp;
  /** One at a time uses the connection that writes. */
  readonly #writing = new Semaphore<null>(1, new ArrivalQueue());
  /** The transaction that the running code is a part of. */
  readonly #around = new AsyncLocalStorage<TransactionStatements>();

  constructor(
    path: string,
    { busyTimeoutMs = BUSY_TIMEOUT_MS, reserveBytes = 0 }: ControlStoreOptions = {},
  ) {
    this.#path = path;
    const writing = openDatabase(path, MIGRATIONS, busyTimeoutMs);
    addQuantityColumns(writing);
    // It waits for its lock between tries from here on, so that the thread does not.
    writing.exec('PRAGMA busy_timeout = 0');
    this.#writer = new Statements(writing);
    this.#reader = new Statements(openDatabase(path, MIGRATIONS, busyTimeoutMs));
    this.#reader.exec('PRAGMA query_only = ON');
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#committed = new Tables(this.#reader);
    this.writes = new WriteObserver(() => diskProblem(dirname(path)));
    this.#reserve = new StoreReserve(this.#writer, dirname(path), reserveBytes, {
      transact: (work) => this.#writing.run(null, () => this.#transact(async () => work())),
      between: (work) => this.#writing.run(null, async () => work()),
    });
    const replica = new ReplicaMemory();
    const changes = new ChangeLog(this.#reader);
    this.replica = replica;
    this.#catchUp = new CatchUp(async () => {
      const changed = changes.changesSince(replica.position);
      if (changed) replica.apply(changed);
    });
  }

  get offers() {
    return this.#committed.offers;
  }

  get identities() {
    return this.#committed.identities;
  }

  get keys() {
    return this.#committed.keys;
  }

  get rules() {
    return this.#committed.rules;
  }

  get accessRequests() {
    return this.#committed.accessRequests;
  }

  get people() {
    return this.#committed.people;
  }

  get personLinks() {
    return this.#committed.personLinks;
  }

  get sessions() {
    return this.#committed.sessions;
  }

  get secondFactors() {
    return this.#committed.secondFactors;
  }

  get signInPlaces() {
    return this.#committed.signInPlaces;
  }

  get audit() {
    return this.#committed.audit;
  }

  get usage() {
    return this.#committed.usage;
  }

  catchUp(): Promise<void> {
    return this.#catchUp.now();
  }

  async transaction<T>(
    work: (tx: StoreTransaction) => Promise<T>,
    kind: WriteKind = 'change',
  ): Promise<T> {
    // It would wait for itself.
    if (this.#around.getStore()?.isOver === false) {
      throw new Error('a transaction cannot begin inside another one');
    }
    return this.writes.observe(kind, () =>
      this.#writing.run(null, () => {
        this.#reserve.require(kind);
        return this.#transact((statements) =>
          this.#around.run(statements, () => work(new Tables(statements))),
        );
      }),
    );
  }

  /** Between `BEGIN` and the end nobody else uses the connection: the semaphore sees to it. */
  async #transact<T>(work: (statements: TransactionStatements) => Promise<T>): Promise<T> {
    await this.#begin();
    const statements = new TransactionStatements(this.#writer);
    try {
      const result = await work(statements);
      statements.end();
      this.#writer.exec('COMMIT');
      return result;
    } catch (error) {
      statements.end();
      if (this.#writer.isInTransaction) this.#writer.exec('ROLLBACK');
      throw error;
    }
  }

  async #begin(): Promise<void> {
    const untilMs = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        this.#writer.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!(error instanceof StoreBusyError) || performance.now() >= untilMs) throw error;
      }
      await wait(BUSY_RETRY_MS);
    }
  }

  async openSnapshot<T>(meanwhile: () => Promise<T>): Promise<readonly [StoreSnapshot, T]> {
    return this.#writing.run(null, () =>
      // It writes nothing, and keeps every other process from writing.
      this.#transact(async () => {
        const snapshot = openSnapshot(this.#path);
        try {
          return [snapshot, await meanwhile()] as const;
        } catch (error) {
          await snapshot.close();
          throw error;
        }
      }),
    );
  }

  reservedBytes(): number | null {
    return this.#reserve.bytes;
  }

  async prepare(): Promise<void> {
    await this.#reserve.fill();
  }

  async maintain(): Promise<void> {
    // Nobody may want to write anything that would show that the problem is over.
    if (this.writes.problem() !== null) {
      await this.writes.observe('change', () =>
        this.#writing.run(null, () => {
          this.#reserve.require('change');
          return this.#transact(async () => this.#reserve.probe());
        }),
      );
    }
    await this.#reserve.refill();
  }

  async close(): Promise<void> {
    await this.#writing.run(null, async () => {
      this.#reader.close();
      this.#writer.close();
    });
  }
}
