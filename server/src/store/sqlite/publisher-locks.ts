/** The locks of publishers as locks on files, for processes of one machine. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { atPath } from '../../base/failure-text.ts';
import {
  LifeMarks,
  type LockWait,
  type ProcessLock,
  waitForLock,
} from '../../base/process-lock.ts';
import type { LifeMark, Lock, PublisherLocks, PublishingLock } from '../publisher-locks.ts';
import './failures.ts';

const SQLITE_BUSY = 5;

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
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw atPath(path, error);
  }
}

function lockOf(lock: ProcessLock): PublishingLock {
  return { isAlone: true, release: async () => lock.release() };
}

export class FilePublisherLocks implements PublisherLocks {
  readonly #lockPath: string;
  readonly #lifeMarks: LifeMarks;
  readonly #partHolders: LifeMarks;

  /** `directory`: absolute path of a folder that all publishers share. It is made if need be. */
  constructor(directory: string) {
    this.#lockPath = join(directory, 'publish.lock');
    this.#lifeMarks = new LifeMarks(join(directory, '.publishing'), tryLockFile);
    this.#partHolders = new LifeMarks(join(directory, '.holding'), tryLockFile);
  }

  /** Locks the whole lake: on one machine, publishers would only slow each other down. */
  async tryLock(): Promise<PublishingLock | null> {
    const lock = tryLockFile(this.#lockPath);
    return lock && lockOf(lock);
  }

  async lock(wait: LockWait): Promise<PublishingLock> {
    return lockOf(await waitForLock(tryLockFile, this.#lockPath, wait));
  }

  async holdLife(): Promise<LifeMark> {
    const { name, release } = this.#lifeMarks.hold();
    return { name, release: async () => release() };
  }

  async isAlive(name: string): Promise<boolean> {
    return this.#lifeMarks.isAlive(name);
  }

  async holdParts(): Promise<Lock> {
    const { release } = this.#partHolders.hold();
    return { release: async () => release() };
  }

  async arePartsHeld(): Promise<boolean> {
    return this.#partHolders.isAnyAlive();
  }

  async sweep(): Promise<void> {
    this.#lifeMarks.sweep();
    this.#partHolders.sweep();
  }
}
