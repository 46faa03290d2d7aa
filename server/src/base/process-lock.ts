/** Locks between processes. */
import { setTimeout as sleep } from 'node:timers/promises';

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
