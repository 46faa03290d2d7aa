/**
 * Derives what uploads have made stale, in the queue of loads, once for all that were loaded by
 * then. A note on disk, written before a load begins, tells the next server what this one has not
 * come to.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { failureText } from '../../base/failure-text.ts';
import { ifThere } from '../../base/if-there.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/write-whole-file.ts';
import type { LoadQueue } from './load-queue.ts';
import type { LoadEnd, Upload } from './upload.ts';

/**
 * Derives what comes from datasets, by their ids, as far as it is stale. Rejects with what the
 * operator should know where that failed or was refused; the signal ends it, and nothing is
 * published then.
 */
export type DeriveFrom = (datasetIds: ReadonlySet<string>, signal: AbortSignal) => Promise<void>;

export interface DueDerivationsOptions {
  /** The path of the note: the ids of datasets. */
  readonly dueFile: string;
  readonly queue: Pick<LoadQueue, 'add'>;
  /** Null: nothing is derived after loads. */
  readonly derive: DeriveFrom | null;
  readonly onFailure: (text: string) => void;
}

type Load = Pick<Upload, 'datasetId' | 'options'>;

const NOTE = v.array(v.string());

/** False for rows in an open publication, which do not count yet. */
function countsAtOnce({ options }: Load): boolean {
  return options.into === undefined && !options.dry_run;
}

export class DueDerivations {
  readonly #options: DueDerivationsOptions;
  #datasetIds: Set<string>;
  #derivedNow: ReadonlySet<string> = new Set();
  /** The content of the note, as far as this server knows. */
  #noted: string | null = null;

  /** Derives first what the note has. */
  constructor(options: DueDerivationsOptions) {
    this.#options = options;
    this.#datasetIds = new Set(options.derive ? this.#readNote() : []);
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

  #readNote(): string[] {
    const { dueFile, onFailure } = this.#options;
    try {
      return ifThere(() => v.parse(NOTE, JSON.parse(readFileSync(dueFile, 'utf8')))) ?? [];
    } catch (error) {
      const text = 'ticklake derive --stale derives what was due after uploads';
      onFailure(`uploads: ${dueFile} cannot be read (${failureText(error)}); ${text}`);
      return [];
    }
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
      if (due.length === 0) rmSync(this.#options.dueFile, { force: true });
      else {
        makeFolder(dirname(this.#options.dueFile), 0o700);
        writeWholeFile(this.#options.dueFile, JSON.stringify(due), 0o600);
      }
      this.#noted = text;
    } catch (error) {
      this.#options.onFailure(`uploads: ${failureText(error)}`);
    }
  }

  /** A refused derivation is due no more: the operator has been told. */
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
