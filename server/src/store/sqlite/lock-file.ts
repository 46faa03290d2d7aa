/**
 * Locks on files. They are SQLite databases only because SQLite brings advisory locks that work alike
 * on every platform, between processes and within one.
 */
import { DatabaseSync } from 'node:sqlite';
import { atPath } from '../../base/failure-text.ts';
import type { ProcessLock } from '../../base/process-lock.ts';
import './failures.ts';

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

/** See `TryLock`. */
export function tryLockFile(path: string): ProcessLock | null {
  let database: DatabaseSync | null = null;
  try {
    const opened = new DatabaseSync(path);
    database = opened;
    opened.exec('PRAGMA busy_timeout = 0');
    opened.exec('PRAGMA journal_mode = MEMORY');
    opened.exec('BEGIN EXCLUSIVE');
    return { release: () => opened.close() };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw atPath(path, error);
  }
}
