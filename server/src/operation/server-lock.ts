/**
 * One server for a home: each counts quotas by itself and keeps what it counts in memory, so that
 * two of them would let twice as much pass. The operating system frees the lock when its holder
 * dies.
 */
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { failureAdvice, failureText } from '../base/failure-text.ts';
import { HOME_LOCK_FILE, SERVER_NOTE_FILE } from '../base/home-layout.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { ProcessLock, TryLock } from '../base/process-lock.ts';

/** Note of a running server, which a second one reports. */
interface ServerNote {
  readonly pid: number;
  readonly startedAt: string;
  /** Null until it listens. */
  readonly url: string | null;
}

/** A note in the home; null: there is none, or none that is whole. */
export function readNote<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function refusalText(home: string, note: ServerNote | null): string {
  const other = note
    ? `process ${note.pid}, ${note.url ?? 'still starting'}, since ${note.startedAt}`
    : 'another process';
  return `a server already serves ${home} (${other}); stop it first, or choose another home with --home`;
}

/**
 * A server that runs goes on when its disk turns read-only, but none can open its stores there. A
 * full disk is no obstacle. Trying is the only test: a disk that failed may still be called
 * writable.
 */
function requireWritable(home: string, file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
    throw new Error(`cannot serve ${home}: ${failureAdvice(error) ?? failureText(error)}`);
  }
}

export class ServerLock {
  readonly #lock: ProcessLock;
  readonly #noteFile: string;
  readonly #startedAt: string;

  private constructor(lock: ProcessLock, noteFile: string, startedAt: string) {
    this.#lock = lock;
    this.#noteFile = noteFile;
    this.#startedAt = startedAt;
    this.#write(null);
  }

  /** Throws a `UsageError` that names the home's server, or an error if it is read-only. */
  static acquire(home: string, clock: Clock, tryLock: TryLock): ServerLock {
    makeFolder(home, 0o700);
    const noteFile = join(home, SERVER_NOTE_FILE);
    requireWritable(home, noteFile);
    const lock = tryLock(join(home, HOME_LOCK_FILE));
    if (!lock) throw new UsageError(refusalText(home, readNote<ServerNote>(noteFile)));
    return new ServerLock(lock, noteFile, isoSeconds(clock.now()));
  }

  /** Notes where the server listens. */
  setUrl(url: string): void {
    this.#write(url);
  }

  release(): void {
    try {
      rmSync(this.#noteFile, { force: true });
    } catch {
      // On a read-only disk it stays; nobody reads it without the lock being held.
    }
    this.#lock.release();
  }

  #write(url: string | null): void {
    const note: ServerNote = { pid: process.pid, startedAt: this.#startedAt, url };
    try {
      writeFileSync(this.#noteFile, `${JSON.stringify(note)}\n`, { mode: 0o600 });
    } catch {
      // On a full disk the lock holds without a note; what is left of one is no JSON.
    }
  }
}
