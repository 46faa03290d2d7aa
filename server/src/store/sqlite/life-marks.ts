/** How a process shows others that its publications are still alive, until it ends or dies. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { ProcessLock } from '../../base/process-lock.ts';
import { tryLockFile } from './lock-file.ts';

/** A younger file that is not locked may be about to be. */
const UNLOCKED_AGE_MS = 60_000;

export interface LifeMark {
  readonly name: string;
  release(): void;
}

/** Somebody who asks whether a new mark is alive has its lock for a moment. */
function lockNew(path: string): ProcessLock {
  for (;;) {
    const lock = tryLockFile(path);
    if (lock) return lock;
  }
}

/** Locks in a folder of their own, one for each publication under way or holder of parts. */
export class LifeMarks {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    makeFolder(directory);
  }

  hold(): LifeMark {
    const name = `${randomBytes(8).toString('hex')}.lock`;
    const path = join(this.#directory, name);
    const lock = lockNew(path);
    const release = () => {
      lock.release();
      rmSync(path, { force: true });
    };
    return { name, release };
  }

  isAlive(name: string): boolean {
    const path = join(this.#directory, name);
    // Asking for the lock would make the file.
    if (name === '' || !existsSync(path)) return false;
    const lock = tryLockFile(path);
    lock?.release();
    return lock === null;
  }

  isAnyAlive(): boolean {
    return readdirSync(this.#directory).some((name) => this.isAlive(name));
  }

  /** Removes what dead processes left. */
  sweep(): void {
    // Times of files are the system's, whatever clock the lake has.
    const modifiedMsMax = systemClock.now() - UNLOCKED_AGE_MS;
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
      if (modifiedMs <= modifiedMsMax && !this.isAlive(name)) rmSync(path, { force: true });
    }
  }
}
