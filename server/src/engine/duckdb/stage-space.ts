/** Folders in which stages keep their temporary files, each with a mark while its stage is alive. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LifeMarks } from '../../base/life-marks.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { TryLock } from '../../base/process-lock.ts';

const FOLDER_PREFIX = 'stage-';

export interface StageSpace {
  readonly directory: string;
  /** Removes the folder. */
  discard(): void;
}

function marksOf(parent: string, tryLock: TryLock): LifeMarks {
  makeFolder(parent);
  return new LifeMarks(join(parent, 'alive'), tryLock);
}

/** Makes a new folder below `parent`. */
export function openStageSpace(parent: string, tryLock: TryLock): StageSpace {
  // Before the folder is there: else a sweep could take it for a dead one.
  const mark = marksOf(parent, tryLock).hold();
  const directory = join(parent, `${FOLDER_PREFIX}${mark.name}`);
  const discard = () => {
    rmSync(directory, { recursive: true, force: true });
    mark.release();
  };
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    discard();
    throw error;
  }
  return { directory, discard };
}

/** Removes the folders of stages whose process has died. */
export function sweepStages(parent: string, tryLock: TryLock): void {
  const marks = marksOf(parent, tryLock);
  for (const name of readdirSync(parent)) {
    const isDead =
      name.startsWith(FOLDER_PREFIX) && !marks.isAlive(name.slice(FOLDER_PREFIX.length));
    if (isDead) rmSync(join(parent, name), { recursive: true, force: true });
  }
  marks.sweep();
}
