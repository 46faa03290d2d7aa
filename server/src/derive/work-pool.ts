/**
 * Runs the work of a derivation, a few pieces at once. Rows are computed by the main thread and
 * written by the engine's own: while those of one group are written, those of another one are
 * computed.
 */
import { availableParallelism } from 'node:os';
import { ArrivalQueue, Semaphore } from '../base/semaphore.ts';

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
