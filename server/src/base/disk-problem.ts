/** Whether the disk below a folder can take more, in words for the operator. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { failureReason } from './failure-text.ts';

/** With less free space a disk counts as full: what is left may be gone at any moment. */
const DISK_FREE_BYTES_MIN = 16 * 1024 * 1024;

/** Bytes that this process may still write; part of a disk is often kept for the superuser. */
export function freeBytes(folder: string): number {
  const { bavail, bfree, bsize } = statfsSync(folder);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
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
