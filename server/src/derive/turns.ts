/**
 * Which work of a derivation goes on at once. Rows are computed by the main thread and written by the engine's own: while
 * those of one group of parts are written, those of another one are computed, of the same dataset or of any other.
 */
import { availableParallelism } from 'node:os';
import { ArrivalQueue, Semaphore } from '../base/semaphore.ts';

/** One that is written, and one that is computed. */
const AT_ONCE_MAX = 2;

export class Turns {
  /** Writers that are open at once, at most. */
  readonly writersMax = Math.min(AT_ONCE_MAX, availableParallelism());
  /** Aborted, with the error, when any work fails: what the others do is in vain. */
  readonly signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #semaphore = new Semaphore(this.writersMax, new ArrivalQueue());

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** In the order of the calls. Work that has its turn waits for work that had its turn before, or for none. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return await this.#semaphore.run(null, async () => {
      this.signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        // Before the next one has its turn.
        this.#stop.abort(error);
        throw error;
      }
    });
  }

  /** The results of all. Where one fails, all have ended before its error is thrown. */
  async all<T>(works: readonly Promise<T>[]): Promise<T[]> {
    for (const work of works) work.catch((error) => this.#stop.abort(error));
    await Promise.allSettled(works);
    this.#stop.signal.throwIfAborted();
    return await Promise.all(works);
  }
}
