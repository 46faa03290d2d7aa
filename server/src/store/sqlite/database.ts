/** The program's own SQLite files: the control store and the lake's index. */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { UsageError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { ArrivalQueue, Semaphore } from '../../base/semaphore.ts';
import type { Queries } from '../queries.ts';
import { StoreBusyError } from '../store-errors.ts';
import type { TransactionQueries } from '../tables.ts';
import { Connection, ConnectionQueries } from './connection.ts';
import { openingError } from './failures.ts';

/** How long a lock is waited for that another process holds. */
const BUSY_TIMEOUT_MS = 30_000;
const BUSY_RETRY_MS = 5;

/** Marks the files of released schemas; `user_version` says which. */
const APPLICATION_ID = 0x71c41a4e;

/**
 * Opens or creates the database at `path` and brings it to the last of `scripts`, each of which
 * makes a schema of the one before it and is run once; all that are missing run in one transaction.
 * The file's version is the number of scripts it has seen. A file newer than the program is
 * refused.
 *
 * Commits are durable: write-ahead log, synchronised in full. A lock that another process holds is
 * waited for, the whole thread with it, up to `busyTimeoutMs`; then the statement fails.
 */
export function openDatabase(
  path: string,
  scripts: readonly string[],
  busyTimeoutMs = BUSY_TIMEOUT_MS,
): DatabaseSync {
  // Only its owner has business in the folder: it tells who may read what.
  makeFolder(dirname(path), 0o700);
  createPrivately(path);
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA foreign_keys = ON');
    // Statement journals go to memory, because the disk may be full.
    database.exec('PRAGMA temp_store = MEMORY');
    migrate(database, path, scripts);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return database;
  } catch (error) {
    database?.close();
    throw openingError(path, error);
  }
}

/** Creates a file that only its owner may read; throws where there is one. */
export function createNew(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}

/**
 * Creates the file for its owner alone; SQLite gives its companions the same mode. One that is
 * there is not even opened: closing it would end the locks that this process has on it.
 */
function createPrivately(path: string): void {
  try {
    createNew(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * The number of scripts that a file has seen. Throws a `UsageError` where it has seen unreleased
 * ones.
 */
export function schemaVersion(database: DatabaseSync, path: string): number {
  const pragma = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const version = pragma('user_version');
  if (version > 0 && pragma('application_id') !== APPLICATION_ID) {
    throw new UsageError(
      `${path} was written before the first release, whose programs cannot read it; load the data again into a new home`,
    );
  }
  return version;
}

function migrate(database: DatabaseSync, path: string, scripts: readonly string[]): void {
  if (schemaVersion(database, path) === scripts.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Read again inside the write lock: another process may have migrated meanwhile.
    const version = schemaVersion(database, path);
    if (version > scripts.length) {
      throw new UsageError(
        `${path} was written by a newer release (schema ${version}, this one knows ${scripts.length})`,
      );
    }
    for (const script of scripts.slice(version)) database.exec(script);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${scripts.length}`);
    database.exec('COMMIT');
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

type Work<T> = (queries: TransactionQueries) => Promise<T>;

/**
 * A database that several processes may have open. One connection writes, in one transaction after
 * the other; one reads what is committed, statement by statement; one reads several things as of
 * one moment.
 */
export class SqliteDatabase implements Pick<Queries, 'all' | 'get'> {
  readonly path: string;
  readonly reader: Connection;
  readonly writer: Connection;
  readonly all: Queries['all'];
  readonly get: Queries['get'];
  readonly #busyTimeoutMs: number;
  readonly #openReader: () => Connection;
  readonly #writing = new Semaphore<null>(1, new ArrivalQueue());
  readonly #reading = new Semaphore<null>(1, new ArrivalQueue());
  /** Made when it is first needed. */
  #moments: Connection | null = null;

  constructor(path: string, scripts: readonly string[], busyTimeoutMs = BUSY_TIMEOUT_MS) {
    this.path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
    const writing = openDatabase(path, scripts, busyTimeoutMs);
    // The connection now waits for locks between tries, without blocking the thread.
    writing.exec('PRAGMA busy_timeout = 0');
    this.writer = new Connection(writing);
    this.#openReader = () => {
      const reading = openDatabase(path, scripts, busyTimeoutMs);
      reading.exec('PRAGMA query_only = ON');
      return new Connection(reading);
    };
    this.reader = this.#openReader();
    const committed = new ConnectionQueries(this.reader);
    this.all = committed.all;
    this.get = committed.get;
  }

  /** Runs `work` in a transaction that writes: all of it is committed, or none when it rejects. */
  transaction<T>(work: Work<T>): Promise<T> {
    return this.#writing.run(null, async () => {
      await this.#begin();
      const queries = new ConnectionQueries(this.writer);
      try {
        const result = await work(queries);
        queries.end();
        this.writer.exec('COMMIT');
        return result;
      } catch (error) {
        queries.end();
        if (this.writer.isInTransaction) this.writer.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Runs `work` on the connection that writes, between two transactions. */
  between(work: () => void): Promise<void> {
    return this.#writing.run(null, async () => work());
  }

  /** Runs reads that all see the same moment. */
  reading<T>(work: Work<T>): Promise<T> {
    return this.#reading.run(null, async () => {
      this.#moments ??= this.#openReader();
      const connection = this.#moments;
      connection.exec('BEGIN');
      const queries = new ConnectionQueries(connection);
      try {
        return await work(queries);
      } finally {
        queries.end();
        // A failing disk has ended it already, and is the error to report.
        if (connection.isInTransaction) connection.exec('COMMIT');
      }
    });
  }

  async close(): Promise<void> {
    await this.#writing.run(null, async () => this.writer.close());
    await this.#reading.run(null, async () => this.#moments?.close());
    this.reader.close();
  }

  async #begin(): Promise<void> {
    const untilMs = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        this.writer.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!(error instanceof StoreBusyError) || performance.now() >= untilMs) throw error;
      }
      await wait(BUSY_RETRY_MS);
    }
  }
}
