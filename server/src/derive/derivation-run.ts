/** The state that the datasets of one derivation share, its warnings, and what runs at once. */
import { availableParallelism } from 'node:os';
import { ArrivalQueue, Semaphore } from '../base/semaphore.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication } from '../lake/publication.ts';
import type { InputRows } from './input-rows.ts';
import type { LoadedRows } from './loaded-rows.ts';

export interface DerivationChoice {
  /** Null: all dates that the inputs have. */
  readonly dates: DateSpan | null;
  /** Only what was never computed, or from something else than there is now. */
  readonly isStaleOnly: boolean;
  /** Computed rows take the place of loaded ones, too. */
  readonly replacesLoaded: boolean;
  /** Loaded rows may go even if their identifiers have no computed rows on the day. */
  readonly allowsLoss?: boolean;
}

export interface DerivationRun extends DerivationChoice {
  readonly catalog: Catalog;
  readonly lake: Lake;
  readonly publication: OpenPublication;
  readonly rows: InputRows;
  readonly loaded: LoadedRows;
  /** Datasets that the publication makes a version of, by id. */
  readonly written: Set<string>;
  readonly pool: WorkPool;
  readonly signal: AbortSignal;
  /** Called before each slice: of which dataset, and how much of it is done. */
  readonly onSlice: (dataset: Dataset, done: number, total: number) => void;
}

const WARNINGS_MAX = 1000;
/** Kept for each dataset: some may be left out later, as repetitions of those of another one. */
const GATHERED_MAX = 10_000;

/** Warnings of a dataset, each text once. */
export class Warnings {
  readonly #texts = new Set<string>();

  readonly add = (text: string): void => {
    if (this.#texts.size < GATHERED_MAX) this.#texts.add(text);
  };

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}

/** The reports with each warning once, in the first dataset that has it. */
export function withoutRepetitions<T extends { readonly warnings: readonly string[] }>(
  reports: readonly T[],
): T[] {
  const known = new Set<string>();
  return reports.map((report) => {
    const own = report.warnings.filter((text) => !known.has(text));
    const warnings = own.slice(0, WARNINGS_MAX);
    for (const text of warnings) known.add(text);
    return { ...report, warnings };
  });
}

/** One that is written, and one that is computed. */
const AT_ONCE_MAX = 2;

export class WorkPool {
  /** Pieces of work that run at once, at most. */
  readonly size = Math.min(AT_ONCE_MAX, availableParallelism());
  /** Aborted, with the error, when any work fails: what the others do is in vain. */
  readonly signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #semaphore = new Semaphore(this.size, new ArrivalQueue());

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Starts work in the order of the calls, so that it may wait for work that was given before. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return await this.#semaphore.run(null, async () => {
      this.signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        // Before the next one starts.
        this.#stop.abort(error);
        throw error;
      }
    });
  }

  /** The results of all. If one fails, all have ended before its error is thrown. */
  async all<T>(works: readonly Promise<T>[]): Promise<T[]> {
    for (const work of works) work.catch((error) => this.#stop.abort(error));
    await Promise.allSettled(works);
    this.#stop.signal.throwIfAborted();
    return await Promise.all(works);
  }
}
