/** Locks between processes that the operating system frees when their holder dies. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { atPath } from './failure-text.ts';

const SQLITE_BUSY = 5;
const POLL_MS = 50;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

export interface LockWait {
  readonly timeoutMs: number;
  /** Called once when the lock is not free at first. */
  readonly onWait?: (() => void) | undefined;
  /** Aborting it ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The error to reject with when the time is up. */
  readonly timeoutError: () => Error;
}

/**
 * An exclusive lock on a file, which is an SQLite database only because SQLite brings advisory
 * locks that work alike on every platform, between processes and within one.
 */
export class ProcessLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Takes the lock, or returns null when another holder, here or elsewhere, has it. */
  static tryAcquire(path: string): ProcessLock | null {
    let database: DatabaseSync | null = null;
    try {
      database = new DatabaseSync(path);
      database.exec('PRAGMA busy_timeout = 0');
      database.exec('PRAGMA journal_mode = MEMORY');
      database.exec('BEGIN EXCLUSIVE');
      return new ProcessLock(database);
    } catch (error) {
      database?.close();
      if (isBusy(error)) return null;
      throw atPath(path, error);
    }
  }

  static async acquire(path: string, wait: LockWait): Promise<ProcessLock> {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const lock = ProcessLock.tryAcquire(path);
      if (lock) return lock;
      if (waitedMs === 0) wait.onWait?.();
      wait.signal?.throwIfAborted();
      if (waitedMs >= wait.timeoutMs) throw wait.timeoutError();
      await sleep(POLL_MS);
    }
  }

  release(): void {
    this.#database.close();
  }
}
