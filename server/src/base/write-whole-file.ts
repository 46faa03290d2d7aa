/** Writes files that are there whole, or as they were before. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { synchronizeFolder } from './synchronize.ts';

/** Puts a durable file in the place of one that may be there, in one step for whoever reads it. */
export function writeWholeFile(path: string, text: string, mode = 0o666): void {
  const written = `${path}.${randomUUID()}`;
  try {
    const descriptor = openSync(written, 'wx', mode);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
  synchronizeFolder(dirname(path));
}
