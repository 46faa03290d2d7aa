/** Folders in which stages keep their temporary files, each with a lock beside it while its stage is alive. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { TryLock } from '../../base/process-lock.ts';

const FOLDER = /^stage-[0-9a-zA-Z]+$/;
const LOCK = /^(stage-[0-9a-zA-Z]+)\.lock$/;
/** A younger lock without a folder is not a leftover yet: its process may be about to take it. */
const LONE_LOCK_AGE_MS = 60_000;

export interface StageSpace {
  readonly directory: string;
  /** Removes the folder. */
  discard(): void;
}

function lockPath(directory: string): string {
  return `${directory}.lock`;
}

/**
 * Makes a new folder below `parent`. Its lock is taken before the folder is there, so that a sweep never finds a folder
 * that is about to be locked.
 */
export function openStageSpace(parent: string, tryLock: TryLock): StageSpace {
  makeFolder(parent);
  const directory = join(parent, `stage-${randomBytes(8).toString('hex')}`);
  const lock = tryLock(lockPath(directory));
  if (!lock) throw new Error(`${directory} belongs to somebody else`);
  mkdirSync(directory, { mode: 0o700 });
  const discard = () => {
    rmSync(directory, { recursive: true, force: true });
    lock.release();
    rmSync(lockPath(directory), { force: true });
  };
  return { directory, discard };
}

/** Removes a folder, unless its stage is alive. */
function sweepFolder(directory: string, tryLock: TryLock): void {
  const lock = tryLock(lockPath(directory));
  if (!lock) return;
  rmSync(directory, { recursive: true, force: true });
  lock.release();
  rmSync(lockPath(directory), { force: true });
}

/** Of a process that died before it had made the folder. */
function sweepLoneLock(path: string): void {
  // Times of files are the system's, whatever clock the lake has.
  const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (modifiedMs <= systemClock.now() - LONE_LOCK_AGE_MS) rmSync(path, { force: true });
}

/** Removes the folders of stages whose process has died. */
export function sweepStages(parent: string, tryLock: TryLock): void {
  makeFolder(parent);
  const names = readdirSync(parent);
  for (const name of names) {
    if (FOLDER.test(name)) sweepFolder(join(parent, name), tryLock);
  }
  const folders = new Set(names);
  for (const name of names) {
    const [, folder] = LOCK.exec(name) ?? [];
    if (folder && !folders.has(folder)) sweepLoneLock(join(parent, name));
  }
}
