/**
 * Keeps publishers apart and tells which of them live, in whatever process and on whatever machine.
 */
import type { LockWait } from '../base/process-lock.ts';

/** Is released at the latest when its process ends. */
export interface Lock {
  release(): Promise<void>;
}

/** The right to write parts and to commit them. */
export interface PublishingLock extends Lock {
  /** True if nobody else publishes anything meanwhile; else nobody publishes the same datasets. */
  readonly isAlone: boolean;
}

/** Shows others that a publication is alive, until it is released or its process ends. */
export interface LifeMark extends Lock {
  readonly name: string;
}

export interface PublisherLocks {
  /**
   * The lock under which parts of these datasets are written and committed, of all datasets where
   * none is named. Null where another one holds it, or one that goes with it. Who holds it may do
   * so alone where less is asked for.
   */
  tryLock(datasetIds?: readonly string[]): Promise<PublishingLock | null>;

  /** Waits for the lock. */
  lock(wait: LockWait, datasetIds?: readonly string[]): Promise<PublishingLock>;

  holdLife(): Promise<LifeMark>;

  /** True if a life mark is held; false of a name that none has. */
  isAlive(name: string): Promise<boolean>;

  /**
   * Has replaced parts stay where they are for as long as it is held: whoever copies what a version
   * is made of takes hours.
   */
  holdParts(): Promise<Lock>;

  /** True if anybody living holds parts. */
  arePartsHeld(): Promise<boolean>;

  /** Removes what dead processes have left. */
  sweep(): Promise<void>;
}
