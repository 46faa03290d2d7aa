/**
 * The note of a load in its folder, from before it begins until what was loaded has been moved. By it a
 * watcher that was killed knows at its next start what it was at.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Arrival, RESULT_FOLDERS } from './arrivals.ts';

const NOTE_NAME = '.ticklake-load.json';

export type Result = (typeof RESULT_FOLDERS)[number];

/** How a load ended, and its report as it is written beside the file. */
export interface Ended {
  readonly result: Result;
  readonly reportText: string;
}

export interface LoadNote {
  readonly name: string;
  readonly mark: string;
  readonly startedAtMs: number;
  /** Null while it runs. */
  readonly ended: Ended | null;
}

/** Writes a file whole or not at all, and lastingly. */
export function writeWhole(path: string, text: string): void {
  const written = `${path}.tmp`;
  const descriptor = openSync(written, 'w', 0o644);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(written, path);
}

export function readNote(folder: string): LoadNote | null {
  try {
    return JSON.parse(readFileSync(join(folder, NOTE_NAME), 'utf8')) as LoadNote;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function writeNote(folder: string, note: LoadNote): void {
  writeWhole(join(folder, NOTE_NAME), JSON.stringify(note));
}

export function noteOf({ name, mark }: Arrival, startedAtMs: number): LoadNote {
  return { name, mark, startedAtMs, ended: null };
}

export function removeNote(folder: string): void {
  rmSync(join(folder, NOTE_NAME), { force: true });
}
