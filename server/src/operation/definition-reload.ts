/**
 * Definitions that are read again while a server runs: when it is told to by a signal, or asked to
 * by a command, which waits for the answer. The command leaves a request in the home, which only
 * its owner can write to, and the server looks there: no port has to be open and no process known
 * for that.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { HOME_LOCK_FILE, RELOAD_ANSWER_FILE, RELOAD_REQUEST_FILE } from '../base/home-layout.ts';
import type { TryLock } from '../base/process-lock.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { CurrentCatalog } from '../catalog/load-catalog.ts';
import { readNote } from './server-lock.ts';

const LOOK_MS = 500;
const ANSWER_LOOK_MS = 100;
const ANSWER_TIMEOUT_MS = 30_000;

export interface ReloadOutcome {
  /** How many datasets are offered now. */
  readonly datasetCount: number;
  /** Why none of the definitions was taken over; empty: all were. */
  readonly faults: readonly string[];
}

interface ReloadAnswer extends ReloadOutcome {
  readonly requestId: string;
}

function writeJson(file: string, value: unknown): void {
  writeWholeFile(file, `${JSON.stringify(value)}\n`, 0o600);
}

/** Takes over all definitions or none. */
export async function reloadDefinitions(catalogs: CurrentCatalog): Promise<ReloadOutcome> {
  try {
    const { datasets } = await catalogs.reload();
    return { datasetCount: datasets.length, faults: [] };
  } catch (error) {
    const faults = error instanceof UsageError ? error.lines : [failureText(error)];
    return { datasetCount: catalogs.current.datasets.length, faults };
  }
}

/** Looks for requests of commands, and answers them, until it is closed. */
export class ReloadRequests {
  readonly #requestFile: string;
  readonly #answerFile: string;
  readonly #reload: () => Promise<ReloadOutcome>;
  readonly #timer: NodeJS.Timeout;
  #answered: string | null = null;

  constructor(home: string, reload: () => Promise<ReloadOutcome>) {
    this.#requestFile = join(home, RELOAD_REQUEST_FILE);
    this.#answerFile = join(home, RELOAD_ANSWER_FILE);
    this.#reload = reload;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const request = readNote<{ requestId: string }>(this.#requestFile);
    if (!request || request.requestId === this.#answered) return;
    this.#answered = request.requestId;
    const answer: ReloadAnswer = { requestId: request.requestId, ...(await this.#reload()) };
    try {
      writeJson(this.#answerFile, answer);
    } catch {
      // The command tells that there was no answer; the outcome is in the log.
    }
  }
}

function requireServer(home: string, tryLock: TryLock): void {
  const lock = tryLock(join(home, HOME_LOCK_FILE));
  if (!lock) return;
  lock.release();
  throw new UsageError(`no server serves ${home}; one that starts reads the definitions anyway`);
}

/** Asks the server of a home. Throws a `UsageError` where there is none. */
export async function askForReload(home: string, tryLock: TryLock): Promise<ReloadOutcome> {
  requireServer(home, tryLock);
  const requestId = randomUUID();
  const files = [RELOAD_REQUEST_FILE, RELOAD_ANSWER_FILE].map((name) => join(home, name));
  const [requestFile, answerFile] = files as [string, string];
  writeJson(requestFile, { requestId });
  try {
    for (let waitedMs = 0; waitedMs < ANSWER_TIMEOUT_MS; waitedMs += ANSWER_LOOK_MS) {
      const answer = readNote<ReloadAnswer>(answerFile);
      if (answer?.requestId === requestId) return answer;
      await sleep(ANSWER_LOOK_MS);
    }
    throw new Error(`the server has not answered within ${ANSWER_TIMEOUT_MS / 1000} seconds`);
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
}
