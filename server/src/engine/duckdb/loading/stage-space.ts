/** Folders for the temporary files of stages, each with a mark while its engine is open. */

import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { RAISE_DISK_BUDGET } from '../../../base/budgets.ts';
import { UsageError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { LifeMarks, type TryLock } from '../../../base/process-lock.ts';

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

/** A load leaves this much free on the disk, however much a packed file unpacks to. */
const FREE_BYTES_MIN = 512 * 1024 * 1024;
/** The engine keeps no limit of its own on what it spills, so it is looked after this often. */
const LOOK_MS = 50;
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
const BLOCK_BYTES = 512;

interface StageLimits {
  /** Folders for rows that do not fit into memory, in that of the stage. */
  readonly spillDirectories: readonly string[];
  readonly spillBytesMax: number;
  readonly signal: AbortSignal;
}

/** Bytes as people say them: 32 GiB, 1.5 MiB. */
function sizeText(byteCount: number): string {
  let size = byteCount;
  let unit = 0;
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${Number(size.toFixed(1))} ${UNITS[unit]}`;
}

/**
 * Bytes on the disk. The engine makes the folder when it first spills and removes files at any
 * time.
 */
function spilledBytes(directory: string): number {
  // A missing folder is usual, and its error costs more than this look.
  if (!existsSync(directory)) return 0;
  let sum = 0;
  try {
    for (const name of readdirSync(directory)) {
      sum +=
        (statSync(join(directory, name), { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK_BYTES;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return sum;
}

export class StageWatch {
  /** Aborted once nothing more is to be done: it ends work that is no statement. */
  readonly signal: AbortSignal;
  readonly #limits: StageLimits;
  readonly #stop = new AbortController();
  #hasFailed = false;

  constructor(limits: StageLimits) {
    this.#limits = limits;
    this.signal = AbortSignal.any([limits.signal, this.#stop.signal]);
  }

  /** True if any work has rejected. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /**
   * Runs what uses the connection. Rejects with the limits' reason once their signal is aborted,
   * with a `UsageError` when the stage takes more disk space than the setting allows, and with an
   * `Error` when the disk is nearly full; a statement that is running then is interrupted.
   */
  async run<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
    this.#look().throwIfAborted();
    // An interrupt ends only the statement that is running, and there may be a next one.
    const timer = setInterval(() => {
      if (this.#look().aborted) connection.interrupt();
    }, LOOK_MS);
    try {
      return await work();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      clearInterval(timer);
      this.#look().throwIfAborted();
    }
  }

  #look(): AbortSignal {
    try {
      const problem = this.signal.aborted ? null : this.#findSpaceProblem();
      if (problem) this.#stop.abort(problem);
    } catch (error) {
      // Nobody else would catch it: this is mostly called by a timer.
      this.#stop.abort(error);
    }
    return this.signal;
  }

  #findSpaceProblem(): Error | null {
    const { spillDirectories, spillBytesMax } = this.#limits;
    const byteCount = spillDirectories.reduce((sum, each) => sum + spilledBytes(each), 0);
    if (byteCount > spillBytesMax) {
      return new UsageError(
        `this load needs more than ${sizeText(spillBytesMax)} of disk space; ` +
          `split it, or ${RAISE_DISK_BUDGET}`,
      );
    }
    const folder = dirname(dirname(spillDirectories[0] as string));
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize >= FREE_BYTES_MIN) return null;
    return new Error(
      `not enough disk space to load: ${sizeText(bavail * bsize)} are free on the disk of ` +
        `${folder}, and ${sizeText(FREE_BYTES_MIN)} must stay free; free some space on it`,
    );
  }
}
