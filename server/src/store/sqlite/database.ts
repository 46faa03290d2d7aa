/** Opens the program's own SQLite files: the control store and the lake's index. */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { openingError, storeError } from './sqlite-errors.ts';

/** The script that makes a schema of the one before it; null: files of this schema cannot be kept. */
export type Migration = string | null;

/** How long a command waits for a lock that another process holds. */
export const BUSY_TIMEOUT_MS = 30_000;

/**
 * Opens or creates the database at `path` and brings it to the last of `migrations`, each an SQL
 * script that is run once, in order, in a transaction of its own. The file's version is the number
 * of migrations it has seen. A file newer than the program is refused, and so is one of a schema
 * that this release cannot bring up to date.
 *
 * Commits are durable: write-ahead log, synchronised in full. A lock that another process holds is
 * waited for, the whole thread with it, up to `busyTimeoutMs`; then the statement fails.
 */
export function openDatabase(
  path: string,
  migrations: readonly Migration[],
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
    migrate(database, path, migrations);
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
 * Creates the file for its owner alone; SQLite gives its companions the same mode. One that is there
 * is not even opened: closing it would end the locks that this process has on it.
 */
function createPrivately(path: string): void {
  try {
    createNew(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function migrate(database: DatabaseSync, path: string, migrations: readonly Migration[]): void {
  if (schemaVersion(database) === migrations.length) return;
  transaction(database, () => {
    // Read again inside the write lock: another process may have migrated meanwhile.
    const version = schemaVersion(database);
    if (version > migrations.length) {
      throw new UsageError(
        `${path} was written by a newer release (schema ${version}, this one knows ${migrations.length})`,
      );
    }
    if (version > 0 && version <= migrations.lastIndexOf(null) + 1) {
      throw new UsageError(
        `${path} was written by an earlier release, whose data this one cannot keep; ` +
          'load the data again into a new home',
      );
    }
    for (const migration of migrations.slice(version)) {
      if (migration !== null) database.exec(migration);
    }
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

/** The result of work that is done when it returns; no promise, which would be committed too early. */
export type Immediate<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `work` in one write transaction: all of it is committed, or none when it throws. Within
 * another transaction it is a part of that one.
 */
export function transaction<T>(database: DatabaseSync, work: () => Immediate<T>): T {
  if (database.isTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const result: T = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw storeError(database.location() ?? 'the store', error);
  }
}
