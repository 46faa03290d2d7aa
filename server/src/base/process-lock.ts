/** Locks between processes. */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { makeFolder } from './make-folder.ts';

/** Process id and start, so that nobody takes the folder of a running process for a leftover. */
const FOLDER = /^([a-z]+)-(\d+)-(\d+)-/;
const STARTED_MS = Math.round(performance.timeOrigin);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * A new folder below `parent`, without those of its kind that earlier processes have left. `kind`
 * consists of small letters.
 */
export function openProcessFolder(parent: string, kind: string): string {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const [, folderKind, pidText, startedText] = FOLDER.exec(name) ?? [];
    if (folderKind !== kind) continue;
    const pid = Number(pidText);
    const isAlive = pid === process.pid ? Number(startedText) === STARTED_MS : isRunning(pid);
    if (!isAlive) rmSync(join(parent, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, `${kind}-${process.pid}-${STARTED_MS}-`));
}

/** A younger file that is not locked may be about to be. */
const UNLOCKED_AGE_MS = 60_000;

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

  hold(): { readonly name: string; release(): void } {
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

const POLL_MS = 50;

export interface ProcessLock {
  release(): void;
}

/**
 * Takes an exclusive lock on a file, which is made if need be; null when another holder, here or
 * elsewhere, has it. The operating system frees it when its holder dies.
 */
export type TryLock = (path: string) => ProcessLock | null;

export interface LockWait {
  readonly timeoutMs: number;
  /** Called once when the lock is not free at first. */
  readonly onWait?: (() => void) | undefined;
  /** Aborting it ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The error to reject with when the time is up. */
  readonly timeoutError: () => Error;
}

/** Tries again and again until `take` gives something. */
export async function waitFor<T>(take: () => T | null | Promise<T | null>, wait: LockWait) {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const taken = await take();
    if (taken !== null) return taken;
    if (waitedMs === 0) wait.onWait?.();
    wait.signal?.throwIfAborted();
    if (waitedMs >= wait.timeoutMs) throw wait.timeoutError();
    await sleep(POLL_MS);
  }
}

export async function waitForLock(
  tryLock: TryLock,
  path: string,
  wait: LockWait,
): Promise<ProcessLock> {
  return await waitFor(() => tryLock(path), wait);
}
