/** Writes files so that all of what was meant is there, or what was there before. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
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

/** As `synchronizeFile`, while the thread does something else. */
export async function synchronize(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } catch (error) {
    throw atPath(path, error);
  } finally {
    await file.close();
  }
}

/** The names in a folder: which files it holds, not what is in them. */
export function synchronizeFolder(path: string): void {
  // Windows can not open folders.
  if (process.platform !== 'win32') synchronizeFile(path);
}

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

/**
 * Writes pieces in one step where the system lets it: each step waits for whatever else the main
 * thread is at.
 */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  let left = pieces.filter(({ length }) => length > 0);
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left);
    while (left[0] && bytesWritten >= left[0].length) {
      bytesWritten -= left[0].length;
      left = left.slice(1);
    }
    if (left[0]) left = [left[0].subarray(bytesWritten), ...left.slice(1)];
  }
}
