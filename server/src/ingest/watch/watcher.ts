/**
 * Loads what arrives in the folders of datasets, one publication for each file or folder, in the
 * order of names. What was loaded is moved to `done` or `refused` with its report beside it.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { failureText } from '../../base/failure-text.ts';
import { ifThere } from '../../base/if-there.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/write-whole-file.ts';
import {
  type Arrival,
  arrivalMark,
  arrivalsIn,
  type RESULT_FOLDERS,
  Settling,
} from './arrivals.ts';

/** After a failure that is not the file's fault, such as a full disk. */
const RETRY_MS = 60_000;
const NOTE_NAME = '.ticklake-load.json';

type Result = (typeof RESULT_FOLDERS)[number];

/** How a load ended, and its report as it is written beside the file. */
export interface Ended {
  readonly result: Result;
  readonly reportText: string;
}

/**
 * The note of a load in its folder, from before it begins until the file has been moved. A watcher
 * that was killed finds it at its next start.
 */
interface LoadNote extends Pick<Arrival, 'name' | 'mark'> {
  readonly startedAtMs: number;
  /** Null while the load runs. */
  readonly ended: Ended | null;
}

function readNote(folder: string): LoadNote | null {
  return ifThere(() => JSON.parse(readFileSync(join(folder, NOTE_NAME), 'utf8')));
}

function writeNote(folder: string, note: LoadNote): void {
  writeWholeFile(join(folder, NOTE_NAME), JSON.stringify(note), 0o644);
}

/** `monday.csv`, or `monday-2.csv` if one of that name was loaded before. */
function freeName(folder: string, name: string): string {
  const end = extname(name);
  const stem = name.slice(0, name.length - end.length);
  for (let count = 1; ; count++) {
    const tried = count === 1 ? name : `${stem}-${count}${end}`;
    const taken = [tried, `${tried}.report.json`].some((each) => existsSync(join(folder, each)));
    if (!taken) return tried;
  }
}

/**
 * Writes the report and moves the file, or the folder, beside it. What has changed since it was
 * loaded stays: it is another arrival.
 */
function putAway(folder: string, { name, mark }: LoadNote, { result, reportText }: Ended): void {
  const results = join(folder, result);
  makeFolder(results);
  const free = freeName(results, name);
  writeWholeFile(join(results, `${free}.report.json`), reportText, 0o644);
  if (arrivalMark(join(folder, name)) === mark) renameSync(join(folder, name), join(results, free));
}

export interface WatchedFolder {
  /** Absolute. */
  readonly path: string;
  /** How its files are read: the name of a dataset or recipe. */
  readonly as: string;
}

export interface WatcherOptions {
  readonly clock: Clock;
  readonly settleMs: number;
  /** The folders to look into; asked for each time, as new ones may have been made. */
  readonly folders: () => readonly WatchedFolder[];
  /** Loads one arrival. Rejects where the file is not at fault: it stays and is tried again. */
  readonly load: (as: string, arrival: Arrival) => Promise<Ended>;
  /** The end of a load that was interrupted; null: nothing was published. */
  readonly endOf: (as: string, arrival: Arrival, startedAtMs: number) => Promise<Ended | null>;
  readonly onFailure: (text: string) => void;
}

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #settling: Settling;
  readonly #retryAtMs = new Map<string, number>();
  /** Loads that ended, by how. */
  readonly counts: Record<Result, number> = { done: 0, refused: 0 };

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#settling = new Settling(options.settleMs);
  }

  /** Looks into all folders once and loads what is complete. Stops when aborted. */
  async pass(signal: AbortSignal): Promise<void> {
    const { clock, folders, onFailure } = this.#options;
    for (const folder of folders()) {
      if (signal.aborted) return;
      if ((this.#retryAtMs.get(folder.path) ?? 0) > clock.now()) continue;
      try {
        await this.#loadFolder(folder, signal);
        this.#retryAtMs.delete(folder.path);
      } catch (error) {
        if (signal.aborted) return;
        this.#retryAtMs.set(folder.path, clock.now() + RETRY_MS);
        onFailure(`${folder.path}: ${failureText(error)}; will be tried again in a minute`);
      }
    }
  }

  async #loadFolder(folder: WatchedFolder, signal: AbortSignal): Promise<void> {
    await this.#finish(folder);
    const { clock, load } = this.#options;
    const arrivals = arrivalsIn(folder.path);
    for (const arrival of this.#settling.settled(folder.path, arrivals, clock.now())) {
      if (signal.aborted) return;
      const { name, mark } = arrival;
      const note = { name, mark, startedAtMs: clock.now(), ended: null };
      writeNote(folder.path, note);
      const ended = await load(folder.as, arrival);
      writeNote(folder.path, { ...note, ended });
      this.#end(folder, note, ended);
    }
  }

  /** Ends what an earlier pass, or a process that was killed, has begun. */
  async #finish(folder: WatchedFolder): Promise<void> {
    const note = readNote(folder.path);
    if (note === null) return;
    const arrival = arrivalsIn(folder.path).find(({ name }) => name === note.name);
    const isThere = arrival?.mark === note.mark;
    const ended =
      note.ended ??
      (isThere ? await this.#options.endOf(folder.as, arrival, note.startedAtMs) : null);
    this.#end(folder, note, isThere ? ended : null);
  }

  #end({ path }: WatchedFolder, note: LoadNote, ended: Ended | null): void {
    if (ended) {
      putAway(path, note, ended);
      this.counts[ended.result] += 1;
    }
    rmSync(join(path, NOTE_NAME), { force: true });
  }
}
