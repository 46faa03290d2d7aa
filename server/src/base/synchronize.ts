/** Makes sure that what was written is on disk, and not only on its way there. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { atPath } from './failure-text.ts';

export function synchronizeFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    throw atPath(path, error);
  } finally {
    closeSync(descriptor);
  }
}

/** The names in a folder: which files it holds, not what is in them. */
export function synchronizeFolder(path: string): void {
  // Windows can not open folders.
  if (process.platform !== 'win32') synchronizeFile(path);
}
