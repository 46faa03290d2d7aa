/**
 * What uploads have made stale: derived in the queue of loads, once for all that were loaded by then. It is noted on disk
 * before a load begins, so that the next server derives what this one does not come to.
 */
import { failureText } from '../../base/failure-text.ts';
import type { DeriveFrom } from './derive-in-process.ts';
import { readDueDatasets, writeDueDatasets } from './due-datasets-file.ts';
import type { LoadQueue } from './load-queue.ts';
import type { LoadEnd, Upload } from './upload.ts';

export interface DueDerivationsOptions {
  /** Of the note. */
  readonly dueFile: string;
  readonly queue: Pick<LoadQueue, 'add'>;
  /** Null: nothing is derived after loads. */
  readonly derive: DeriveFrom | null;
  readonly onFailure: (text: string) => void;
}

type Load = Pick<Upload, 'datasetId' | 'options'>;

/** What is loaded into an open publication does not count yet. */
function countsAtOnce({ options }: Load): boolean {
  return options.into === null && !options.isDryRun;
}

export class DueDerivations {
  readonly #options: DueDerivationsOptions;
  #datasetIds: Set<string>;
  #derivedNow: ReadonlySet<string> = new Set();
  /** What the note has, as far as this server knows. */
  #noted: string | null = null;

  /** What the note has is derived first. */
  constructor(options: DueDerivationsOptions) {
    this.#options = options;
    this.#datasetIds = new Set(options.derive ? readDueDatasets(options.dueFile) : []);
    if (this.#datasetIds.size > 0) this.#enqueue();
  }

  /** Told of each load before it begins. */
  begins(load: Load): void {
    if (this.#options.derive && countsAtOnce(load)) this.#note([load.datasetId]);
  }

  /** Told of each load that has ended. */
  loaded(load: Load, { state }: LoadEnd): void {
    if (this.#options.derive === null || !countsAtOnce(load)) return;
    if (state === 'published') {
      const isQueued = this.#datasetIds.size > 0;
      this.#datasetIds.add(load.datasetId);
      if (!isQueued) this.#enqueue();
    }
    this.#note();
  }

  #enqueue(): void {
    this.#options.queue.add((signal) => this.#run(signal));
  }

  /** Without a note, a server that stops leaves undone what is due: the load itself goes on. */
  #note(besides: readonly string[] = []): void {
    const due = [...this.#datasetIds.union(this.#derivedNow).union(new Set(besides))].toSorted();
    const text = due.join(' ');
    if (text === this.#noted) return;
    try {
      writeDueDatasets(this.#options.dueFile, due);
      this.#noted = text;
    } catch (error) {
      this.#options.onFailure(`uploads: ${failureText(error)}`);
    }
  }

  /** What is refused is due no more: the operator has been told. */
  async #run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#derivedNow = this.#datasetIds;
    this.#datasetIds = new Set();
    try {
      await this.#options.derive?.(this.#derivedNow, signal);
    } catch (error) {
      this.#options.onFailure(`uploads: ${failureText(error)}`);
    }
    if (signal.aborted) return;
    this.#derivedNow = new Set();
    this.#note();
  }
}
