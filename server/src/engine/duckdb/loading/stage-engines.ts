/**
 * The engines of stages, each in a folder of its own. Opening one takes longer than a small load,
 * so the last one to become idle is kept for the next stage.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { TryLock } from '../../../base/process-lock.ts';
import { openLockedInstance } from '../locked-instance.ts';
import { openStageSpace, type StageSpace } from './stage-space.ts';

export interface StageEngine {
  readonly instance: DuckDBInstance;
  readonly space: StageSpace;
  readonly spillDirectory: string;
  readonly memoryLimitMegabytes: number;
}

interface StageEnginesOptions {
  /** Parent of the stages' folders; in the same file system as parts in a folder. */
  readonly stagingDirectory: string;
  readonly tryLock: TryLock;
}

/** False also if somebody has removed the folder. */
function hasEmptyFolder({ space }: StageEngine): boolean {
  try {
    return readdirSync(space.directory).length === 0;
  } catch {
    return false;
  }
}

function discard({ instance, space }: StageEngine): void {
  instance.closeSync();
  space.discard();
}

export class StageEngines {
  readonly #options: StageEnginesOptions;
  #idle: StageEngine | null = null;
  #isClosed = false;

  constructor(options: StageEnginesOptions) {
    this.#options = options;
  }

  /** For one stage at a time. Memory that a stage may fill before it spills to disk is its own. */
  async take(memoryLimitMegabytes: number): Promise<StageEngine> {
    const idle = this.#idle;
    if (idle?.memoryLimitMegabytes === memoryLimitMegabytes) {
      this.#idle = null;
      if (hasEmptyFolder(idle)) return idle;
      discard(idle);
    }
    const { stagingDirectory, tryLock } = this.#options;
    const space = openStageSpace(stagingDirectory, tryLock);
    const spillDirectory = join(space.directory, 'spill');
    try {
      const instance = await openLockedInstance({
        directory: space.directory,
        spillDirectory,
        memoryLimitMegabytes,
        threadCount: availableParallelism(),
      });
      return { instance, space, spillDirectory, memoryLimitMegabytes };
    } catch (error) {
      space.discard();
      throw error;
    }
  }

  /** Takes an engine back whose stage is over; `isSound`: it has failed at nothing. */
  give(engine: StageEngine, isSound: boolean): void {
    if (this.#isClosed || !isSound || !hasEmptyFolder(engine)) {
      discard(engine);
      return;
    }
    if (this.#idle) discard(this.#idle);
    this.#idle = engine;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#idle) discard(this.#idle);
    this.#idle = null;
  }
}
