/** Folders in which stages keep their temporary files, each locked while its stage is alive. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { Stage, StagingEngine } from '../engine/engine.ts';
import { ProcessLock } from './process-lock.ts';

const LOCK_FILE = 'lock';
/** A folder without a lock is not a leftover yet: its process may be about to take the lock. */
const UNLOCKED_AGE_MS = 60_000;

/** Opens a stage in a new folder below `directory`; closing the stage removes the folder. */
export async function openStageIn(
  directory: string,
  engine: StagingEngine,
  dataset: Dataset,
  signal?: AbortSignal,
): Promise<Stage> {
  makeFolder(directory);
  const space = mkdtempSync(join(directory, 'stage-'));
  const lock = ProcessLock.tryAcquire(join(space, LOCK_FILE));
  const discard = () => {
    lock?.release();
    rmSync(space, { recursive: true, force: true });
  };
  try {
    const stage = await engine.openStage(dataset, space, signal);
    return {
      append: (batch) => stage.append(batch),
      loadPlainRecords: (block) => stage.loadPlainRecords(block),
      loadNumberedRecords: (block, shownCount) => stage.loadNumberedRecords(block, shownCount),
      loadParquet: (source) => stage.loadParquet(source),
      requireRowRules: () => stage.requireRowRules(),
      partitionKeys: () => stage.partitionKeys(),
      writePartition: (key, target, existing) => stage.writePartition(key, target, existing),
      close: () => stage.close().finally(discard),
    };
  } catch (error) {
    discard();
    throw error;
  }
}

function isAbandoned(space: string, modifiedMsMax: number): boolean {
  const { mtimeMs } = statSync(space);
  if (!readdirSync(space).includes(LOCK_FILE)) return mtimeMs <= modifiedMsMax;
  const lock = ProcessLock.tryAcquire(join(space, LOCK_FILE));
  lock?.release();
  return lock !== null;
}

/** Removes the folders of stages whose process has died. */
export function sweepStages(directory: string): void {
  makeFolder(directory);
  // Times of files are the system's, whatever clock the lake has.
  const modifiedMsMax = systemClock.now() - UNLOCKED_AGE_MS;
  for (const name of readdirSync(directory)) {
    const space = join(directory, name);
    try {
      if (isAbandoned(space, modifiedMsMax)) rmSync(space, { recursive: true });
    } catch (error) {
      // Its own process may be removing it at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
