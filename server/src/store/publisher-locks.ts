/** Keeps publishers apart and tells which of them live, in whatever process and on whatever machine. */
import type { LockWait } from '../base/process-lock.ts';

/** Is released at the latest when its process ends. */
export interface Lock {
  release(): Promise<void>;
}

/** Shows others that a publication is alive, until it is released or its process ends. */
export interface LifeMark extends Lock {
  readonly name: string;
}

export interface PublisherLocks {
  /** The one lock under which parts are written and committed; null where another one holds it. */
  tryLock(): Promise<Lock | null>;

  /** Waits for the lock. */
  lock(wait: LockWait): Promise<Lock>;

  holdLife(): Promise<LifeMark>;

  /** Whether a life mark is held; false of a name that none has. */
  isAlive(name: string): Promise<boolean>;

  /**
   * Has replaced parts stay where they are for as long as it is held: whoever copies what a version is
   * made of takes hours.
   */
  holdParts(): Promise<Lock>;

  /** Whether anybody living holds parts. */
  arePartsHeld(): Promise<boolean>;

  /** Removes what dead processes have left. */
  sweep(): Promise<void>;
}
