/** Drops ledger rows past their time, a few at once so that requests need not wait. */
import type { Clock } from '../base/clock.ts';

const DAY_MS = 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const BATCH_ROWS = 500;
const BATCH_PAUSE_MS = 20;

export interface LedgerRetentionOptions {
  /** Drops up to `limit` rows from before a moment; says how many. */
  readonly deleteLedger: (beforeMs: number, limit: number) => Promise<number>;
  readonly clock: Clock;
  readonly ledgerDays: number;
  readonly onFailure: (error: unknown) => void;
}

export class LedgerRetention {
  readonly #options: LedgerRetentionOptions;
  #timer: NodeJS.Timeout;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** Sweeps soon, and then every hour until it is stopped. */
  constructor(options: LedgerRetentionOptions) {
    this.#options = options;
    this.#timer = this.#sweepAfter(BATCH_PAUSE_MS);
  }

  /** Resolves when nothing is being deleted any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #sweepAfter(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#underWay = this.#sweep();
    }, delayMs).unref();
  }

  async #sweep(): Promise<void> {
    const { deleteLedger, clock, ledgerDays, onFailure } = this.#options;
    let isDone = true;
    try {
      const beforeMs = clock.now() - ledgerDays * DAY_MS;
      isDone = (await deleteLedger(beforeMs, BATCH_ROWS)) < BATCH_ROWS;
    } catch (error) {
      onFailure(error);
    }
    if (this.#isStopped) return;
    this.#timer = this.#sweepAfter(isDone ? SWEEP_INTERVAL_MS : BATCH_PAUSE_MS);
  }
}
