/** Drops versions whose time is over, and what they leave, while a server runs. */
import type { Lake } from './lake.ts';
import type { RetentionPolicy } from './retention.ts';

const INTERVAL_MS = 10 * 60_000;

export class LakeUpkeep {
  readonly #lake: Lake;
  readonly #policy: RetentionPolicy;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isClosed = false;
  #onFailure: (error: unknown) => void = () => undefined;

  /** Looks every ten minutes, until it is closed. */
  constructor(lake: Lake, policy: RetentionPolicy) {
    this.#lake = lake;
    this.#policy = policy;
    this.#wait();
  }

  /** Who is told of errors. */
  set onFailure(listener: (error: unknown) => void) {
    this.#onFailure = listener;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#lake.publisher
        .tidy(this.#policy)
        .catch((error: unknown) => this.#onFailure(error))
        .then(() => {
          if (!this.#isClosed) this.#wait();
        });
    }, INTERVAL_MS).unref();
  }
}
