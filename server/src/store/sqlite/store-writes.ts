/** How writing to the store goes: what failed, and what the operator has to know about it. */
import { storageProblem } from './database.ts';
import { diskProblem } from './disk-problem.ts';
import type { WriteKind } from './store-reserve.ts';

export class StoreWrites {
  readonly #folder: string;
  readonly #failedCounts: Record<WriteKind, number> = { usage: 0, change: 0 };
  #lastFailure: string | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Transactions that the storage did not take, since the start. */
  get failedCounts(): Readonly<Record<WriteKind, number>> {
    return this.#failedCounts;
  }

  /** Why the store cannot be written, or soon cannot be; null if all is well. */
  problem(): string | null {
    return diskProblem(this.#folder) ?? this.#lastFailure;
  }

  /** Runs a transaction and notes how it ends. */
  observe<T>(kind: WriteKind, transaction: () => T): T {
    try {
      const result = transaction();
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
