/** A database in PostgreSQL: statements and transactions over a pool of connections. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Value } from '../queries.ts';
import { storageProblem } from '../store-errors.ts';
import type { PostgresAddress } from './address.ts';
import { beginConnection, connectionConfig } from './connection.ts';
import { endsConnection, storeError } from './postgres-errors.ts';
import { execute, PostgresQueries, PostgresTransaction } from './queries.ts';
import type { WriteLock } from './write-locks.ts';
import { beginWriting, type CommitMark, isMarked } from './write-locks.ts';

const CONNECTIONS_MAX = 8;
/** Writers wait for each other that long. */
const LOCK_TIMEOUT_MS = 10_000;
/** How long the database is asked about a commit whose answer was lost. */
const DOUBT_MS = 5000;
const DOUBT_RETRY_MS = 100;

const BEGIN_READING = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

async function commit(client: pg.ClientBase): Promise<void> {
  // PostgreSQL answers COMMIT with another command after any failed statement.
  const { command } = await client.query('COMMIT');
  if (command !== 'COMMIT') throw new Error('a statement of the transaction has failed');
}

export class PostgresDatabase extends PostgresQueries {
  readonly address: PostgresAddress;
  readonly #pool: pg.Pool;

  /**
   * Connects when it is first used. Throws a `UsageError` where a file of the address cannot be
   * read.
   */
  constructor(address: PostgresAddress, connectionsMax = CONNECTIONS_MAX) {
    super();
    this.address = address;
    const config = connectionConfig(address);
    this.#pool = new pg.Pool({
      ...config,
      // The pool's limit is also that of a wait for a free connection, which says nothing of the
      // database.
      connectionTimeoutMillis: config.query_timeout,
      Client: class extends pg.Client {
        constructor() {
          super(config);
        }
      },
      max: connectionsMax,
      onConnect: beginConnection,
    });
    // The end of an idle connection is no failure yet, and of one in use what it is asked tells.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  protected execute(sql: string, values: readonly Value[]): Promise<pg.QueryResult> {
    return this.#using((client) => execute(client, sql, values));
  }

  /**
   * Runs `work` in a transaction that writes, alone among all that name the same lock: each sees
   * what those before it have committed, and its work runs once. All of it is committed when its
   * promise resolves, none when it rejects. Where the answer to the commit is lost, the database is
   * asked for up to `doubtMs` whether it came about; rejects if even that stays unknown.
   */
  async transaction<T>(
    lock: WriteLock,
    work: (queries: PostgresTransaction) => Promise<T>,
    doubtMs = DOUBT_MS,
  ): Promise<T> {
    let mark: CommitMark | null = null;
    let result: T | undefined;
    let isAsked = false;
    try {
      await this.#using(async (client) => {
        mark = await beginWriting(client, lock, LOCK_TIMEOUT_MS);
        result = await this.#within(client, work);
        isAsked = true;
        await commit(client);
      });
    } catch (error) {
      const doubted = isAsked && endsConnection(error) ? mark : null;
      if (doubted === null || !(await this.#isCommitted(lock, doubted, doubtMs))) throw error;
    }
    return result as T;
  }

  /** Runs reads that all see the same moment. */
  async reading<T>(work: (queries: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.#using(async (client) => {
      await client.query(BEGIN_READING);
      const result = await this.#within(client, work);
      await commit(client);
      return result;
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #within<T>(
    client: pg.ClientBase,
    work: (queries: PostgresTransaction) => Promise<T>,
  ): Promise<T> {
    const queries = new PostgresTransaction(client, this.address);
    try {
      return await work(queries);
    } catch (error) {
      await queries.end();
      if (!endsConnection(error)) await client.query('ROLLBACK');
      throw error;
    } finally {
      await queries.end();
    }
  }

  async #using<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    let isOfUse = true;
    try {
      client = await this.#pool.connect();
      return await work(client);
    } catch (error) {
      isOfUse = !endsConnection(error);
      throw storeError(this.address, error);
    } finally {
      client?.release(!isOfUse);
    }
  }

  async #isCommitted(lock: WriteLock, mark: CommitMark, doubtMs: number): Promise<boolean> {
    const untilMs = performance.now() + doubtMs;
    for (;;) {
      try {
        return await this.#using((client) => isMarked(client, lock, mark, LOCK_TIMEOUT_MS));
      } catch (error) {
        if (storageProblem(error) === null || performance.now() >= untilMs) throw error;
      }
      await wait(DOUBT_RETRY_MS);
    }
  }
}
