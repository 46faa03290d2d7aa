/**
 * Drops versions and gives up open publications whose time is over, and removes what they leave, while a
 * server runs.
 */
import { RepeatedWork } from '../base/repeated-work.ts';
import type { Lake } from './lake.ts';
import type { RetentionPolicy } from './retention.ts';

const INTERVAL_MS = 10 * 60_000;

export class LakeUpkeep {
  readonly #lake: Lake;
  readonly #policy: RetentionPolicy;
  readonly #looks: RepeatedWork;
  #onFailure: (error: unknown) => void = () => undefined;

  /** Looks every ten minutes, until it is closed. */
  constructor(lake: Lake, policy: RetentionPolicy) {
    this.#lake = lake;
    this.#policy = policy;
    this.#looks = new RepeatedWork(() => this.#look(), INTERVAL_MS);
  }

  /** Who is told of errors. */
  set onFailure(listener: (error: unknown) => void) {
    this.#onFailure = listener;
  }

  async close(): Promise<void> {
    await this.#looks.stop();
  }

  async #look(): Promise<void> {
    try {
      await this.#lake.publisher.tidy(this.#policy);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}
