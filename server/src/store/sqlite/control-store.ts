/**
 * The control store in one SQLite file, which the server and the command line may have open at the
 * same time.
 */
import { dirname } from 'node:path';
import { diskProblem } from '../../base/disk-problem.ts';
import { CatchUp } from '../catch-up.ts';
import { changesSince, POSITION } from '../changes.ts';
import type { ControlStore } from '../control-store.ts';
import { type Replica, ReplicaMemory } from '../replica.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import {
  CommittedTables,
  type TransactionQueries,
  type WriteKind,
  WriteObserver,
} from '../tables.ts';
import { ConnectionQueries } from './connection.ts';
import { SqliteDatabase } from './database.ts';
import { CONTROL_SCRIPTS } from './schema.ts';
import { StoreReserve } from './store-reserve.ts';
import { openSnapshot } from './store-snapshot.ts';

export interface ControlStoreOptions {
  /** How long a lock of another process is waited for; 30 seconds by default. */
  readonly busyTimeoutMs?: number;
  /** Space to keep for a full disk; none by default. `prepare` makes it. */
  readonly reserveBytes?: number;
}

export class SqliteControlStore extends CommittedTables implements ControlStore {
  readonly replica: Replica;
  readonly writes: WriteObserver;
  readonly outage = null;
  /** One server alone has a home, and counts and keeps secrets there. */
  readonly sharedUsage = null;
  readonly sharedRates = null;
  readonly sharedSecrets = null;
  readonly #database: SqliteDatabase;
  readonly #reserve: StoreReserve;
  readonly #catchUp: CatchUp;

  constructor(path: string, { busyTimeoutMs, reserveBytes = 0 }: ControlStoreOptions = {}) {
    const database = new SqliteDatabase(path, CONTROL_SCRIPTS, busyTimeoutMs);
    super(new ConnectionQueries(database.reader), null);
    this.#database = database;
    this.writes = new WriteObserver(() => diskProblem(dirname(path)));
    this.#reserve = new StoreReserve(database, reserveBytes);
    const replica = new ReplicaMemory();
    const position = database.reader.prepareNumber(POSITION);
    this.replica = replica;
    this.#catchUp = new CatchUp(async () => {
      const known = replica.position;
      if (position() === known) return;
      replica.apply(await database.reading((queries) => changesSince(queries, known)));
    });
  }

  catchUp(): Promise<void> {
    return this.#catchUp.now();
  }

  protected async write<T>(
    kind: WriteKind,
    work: (queries: TransactionQueries) => Promise<T>,
  ): Promise<T> {
    return this.#database.transaction(async (queries) => {
      this.#reserve.require(kind);
      return work(queries);
    });
  }

  async openSnapshot<T>(meanwhile: () => Promise<T>): Promise<readonly [StoreSnapshot, T]> {
    // This transaction writes nothing, and keeps every other process from writing.
    return this.#database.transaction(async () => {
      const snapshot = openSnapshot(this.#database.path);
      try {
        return [snapshot, await meanwhile()] as const;
      } catch (error) {
        await snapshot.close();
        throw error;
      }
    });
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
        this.write('change', (queries) => this.#reserve.probe(queries)),
      );
    }
    await this.#reserve.refill();
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
