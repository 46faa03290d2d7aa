/** Problems of the disk below a folder, in words for the operator. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { failureReason } from './failure-text.ts';

/** With less free space a disk counts as full: what is left may be gone at any moment. */
const DISK_FREE_BYTES_MIN = 16 * 1024 * 1024;

/** Bytes that this process may still write; part of a disk is often kept for the superuser. */
export function freeBytes(folder: string): number {
  const { bavail, bfree, bsize } = statfsSync(folder);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}

/** Bytes of the disk below a folder, free or not. */
export function diskBytes(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return blocks * bsize;
}

/** With less, somebody should make room before it counts as full. */
export const DISK_LOW_BYTES = 1024 ** 3;

/** That the disk below a folder is going to be full, for the operator; null: it has room. */
export function diskWarning(folder: string): string | null {
  const free = freeBytes(folder);
  if (free >= DISK_LOW_BYTES) return null;
  return `only ${Math.floor(free / 1024 ** 2)} MiB are free on the disk`;
}

/** Why files in a folder cannot be written or cannot grow; null if they can. */
export function diskProblem(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    return failureReason(error) ?? 'the folder cannot be written to';
  }
  return freeBytes(folder) < DISK_FREE_BYTES_MIN ? 'the disk is full' : null;
}
