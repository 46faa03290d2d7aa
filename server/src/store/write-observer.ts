/** Notes how the transactions of a store end. */
import type { StoreWrites, WriteKind } from './control-store.ts';
import { storageProblem } from './store-errors.ts';

export class WriteObserver implements StoreWrites {
  readonly #otherProblem: () => string | null;
  readonly #failedCounts: Record<WriteKind, number> = { usage: 0, change: 0 };
  #lastFailure: string | null = null;

  /** `otherProblem` tells what has to be known before a transaction fails of it. */
  constructor(otherProblem: () => string | null) {
    this.#otherProblem = otherProblem;
  }

  get failedCounts(): Readonly<Record<WriteKind, number>> {
    return this.#failedCounts;
  }

  problem(): string | null {
    return this.#otherProblem() ?? this.#lastFailure;
  }

  /** Runs a transaction and notes how it ends. */
  async observe<T>(kind: WriteKind, transaction: () => Promise<T>): Promise<T> {
    try {
      const result = await transaction();
      this.#lastFailure = null;
      return result;
    } catch (error) {
      const problem = storageProblem(error);
      if (problem !== null) {
        this.#failedCounts[kind]++;
        this.#lastFailure = problem;
      }
      throw error;
    }
  }
}
