/** How a process shows others that something of its own is still alive, until it ends or dies. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { makeFolder } from './make-folder.ts';
import type { ProcessLock, TryLock } from './process-lock.ts';

/** A younger file that is not locked may be about to be. */
const UNLOCKED_AGE_MS = 60_000;

export interface LifeMark {
  readonly name: string;
  release(): void;
}

/** Somebody who asks whether a new mark is alive has its lock for a moment. */
function lockNew(path: string, tryLock: TryLock): ProcessLock {
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
  }
}

/** Locks in a folder of their own, one for each that is alive. */
export class LifeMarks {
  readonly #directory: string;
  readonly #tryLock: TryLock;

  constructor(directory: string, tryLock: TryLock) {
    this.#directory = directory;
    this.#tryLock = tryLock;
    makeFolder(directory);
  }

  hold(): LifeMark {
    const name = randomBytes(8).toString('hex');
    const path = join(this.#directory, name);
    const lock = lockNew(path, this.#tryLock);
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
    const lock = this.#tryLock(path);
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
