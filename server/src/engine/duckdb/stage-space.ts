/** Folders in which stages keep their temporary files, each locked while its stage is alive. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { TryLock } from '../../base/process-lock.ts';

const LOCK_FILE = 'lock';
/** A folder without a lock is not a leftover yet: its process may be about to take the lock. */
const UNLOCKED_AGE_MS = 60_000;

export interface StageSpace {
  readonly directory: string;
  /** Removes the folder. */
  discard(): void;
}

/** Makes a new folder below `parent`. */
export function openStageSpace(parent: string, tryLock: TryLock): StageSpace {
  makeFolder(parent);
  const directory = mkdtempSync(join(parent, 'stage-'));
  const lock = tryLock(join(directory, LOCK_FILE));
  const discard = () => {
    lock?.release();
    rmSync(directory, { recursive: true, force: true });
  };
  return { directory, discard };
}

function isAbandoned(space: string, modifiedMsMax: number, tryLock: TryLock): boolean {
  const { mtimeMs } = statSync(space);
  if (!readdirSync(space).includes(LOCK_FILE)) return mtimeMs <= modifiedMsMax;
  const lock = tryLock(join(space, LOCK_FILE));
  lock?.release();
  return lock !== null;
}

/** Removes the folders of stages whose process has died. */
export function sweepStages(directory: string, tryLock: TryLock): void {
  makeFolder(directory);
  // Times of files are the system's, whatever clock the lake has.
  const modifiedMsMax = systemClock.now() - UNLOCKED_AGE_MS;
  for (const name of readdirSync(directory)) {
    const space = join(directory, name);
    try {
      if (isAbandoned(space, modifiedMsMax, tryLock)) rmSync(space, { recursive: true });
    } catch (error) {
      // Its own process may be removing it at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
