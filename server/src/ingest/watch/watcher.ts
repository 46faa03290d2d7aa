/**
 * Loads what arrives in the folders of datasets, one publication for each file or folder, in the order
 * of names. What was loaded is moved to `done` or `refused` with its report beside it.
 */
import type { Clock } from '../../base/clock.ts';
import { failureText } from '../../base/failure-text.ts';
import { type Arrival, arrivalsIn, Settling } from './arrivals.ts';
import { type Ended, noteOf, readNote, removeNote, writeNote } from './note.ts';
import { putAway } from './put-away.ts';

/** After a failure that is not the file's fault, such as a full disk. */
const RETRY_MS = 60_000;

export interface WatchedFolder {
  /** Absolute. */
  readonly path: string;
  readonly datasetId: string;
}

export interface WatcherOptions {
  readonly clock: Clock;
  readonly settleMs: number;
  /** The folders to look into; asked for each time, as new ones may have been made. */
  readonly folders: () => readonly WatchedFolder[];
  /** Loads one arrival. Rejects where the file is not at fault: it stays and is tried again. */
  readonly load: (datasetId: string, arrival: Arrival) => Promise<Ended>;
  /** How a load of the arrival that began then, and whose end nobody saw, has ended; null: nothing was published. */
  readonly endOf: (
    datasetId: string,
    arrival: Arrival,
    startedAtMs: number,
  ) => Promise<Ended | null>;
  readonly onFailure: (text: string) => void;
}

/** Loads that ended, by how. */
export interface WatchCounts {
  done: number;
  refused: number;
}

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #settling: Settling;
  readonly #retryAtMs = new Map<string, number>();
  readonly counts: WatchCounts = { done: 0, refused: 0 };

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#settling = new Settling(options.settleMs);
  }

  /** Looks into all folders once and loads what is complete. Ends early when the signal is aborted. */
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
    const { clock } = this.#options;
    const arrivals = arrivalsIn(folder.path);
    for (const arrival of this.#settling.settled(folder.path, arrivals, clock.now())) {
      if (signal.aborted) return;
      await this.#load(folder, arrival);
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
      (isThere ? await this.#options.endOf(folder.datasetId, arrival, note.startedAtMs) : null);
    if (ended && isThere) this.#putAway(folder, note, ended);
    removeNote(folder.path);
  }

  async #load(folder: WatchedFolder, arrival: Arrival): Promise<void> {
    const note = noteOf(arrival, this.#options.clock.now());
    writeNote(folder.path, note);
    const ended = await this.#options.load(folder.datasetId, arrival);
    writeNote(folder.path, { ...note, ended });
    this.#putAway(folder, note, ended);
    removeNote(folder.path);
  }

  #putAway(folder: WatchedFolder, note: Parameters<typeof putAway>[1], ended: Ended): void {
    putAway(folder.path, note, ended);
    this.counts[ended.result] += 1;
  }
}
