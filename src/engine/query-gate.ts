/** Lets a bounded number of queries run at once and a bounded number wait for their turn. */
import { ApiError } from '../errors.ts';

export interface QueryGateOptions {
  readonly queriesMax: number;
  readonly queueMax: number;
}

interface Waiter {
  readonly admit: () => void;
}

export class QueryGate {
  readonly #options: QueryGateOptions;
  readonly #waiters = new Set<Waiter>();
  #runningCount = 0;
  #refusedCount = 0;

  constructor(options: QueryGateOptions) {
    this.#options = options;
  }

  get runningCount(): number {
    return this.#runningCount;
  }

  get waitingCount(): number {
    return this.#waiters.size;
  }

  /** Since the start. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** Runs `work` when its turn comes; 503 when too many wait already. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#runningCount < this.#options.queriesMax) {
      this.#runningCount++;
      return;
    }
    if (this.#waiters.size >= this.#options.queueMax) {
      this.#refusedCount++;
      throw new ApiError(503, 'Service unavailable');
    }
    await new Promise<void>((resolve, reject) => {
      const abandon = () => {
        this.#waiters.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', abandon);
          resolve();
        },
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** The turn passes straight on, so that a newcomer cannot overtake those who wait. */
  #leave(): void {
    const [next] = this.#waiters;
    if (!next) {
      this.#runningCount--;
      return;
    }
    this.#waiters.delete(next);
    next.admit();
  }
}
