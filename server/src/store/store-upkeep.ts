/** Looks after the store while a server runs: its reserve, and whether it can be written. */
import { RepeatedWork } from '../base/repeated-work.ts';
import type { ControlStore } from './control-store.ts';
import { storageProblem } from './store-errors.ts';

const INTERVAL_MS = 5000;

export class StoreUpkeep {
  readonly looks: RepeatedWork;
  /** Told of a problem once when it begins or becomes another, and of its end by null. */
  onProblem: (problem: string | null) => void = () => undefined;
  readonly #store: ControlStore;
  #problem: string | null = null;

  private constructor(store: ControlStore) {
    this.#store = store;
    this.looks = new RepeatedWork(() => this.#look(), INTERVAL_MS);
  }

  /** Resolves when the store is prepared, as far as it can be; then looks every few seconds. */
  static async begin(store: ControlStore): Promise<StoreUpkeep> {
    try {
      await store.prepare();
    } catch (error) {
      // If the storage refuses it now, it is done later.
      if (storageProblem(error) === null) throw error;
    }
    return new StoreUpkeep(store);
  }

  async #look(): Promise<void> {
    try {
      await this.#store.maintain();
    } catch (error) {
      if (storageProblem(error) === null) throw error;
    } finally {
      const problem = this.#store.writes.problem();
      if (problem !== this.#problem) this.onProblem(problem);
      this.#problem = problem;
    }
  }
}
