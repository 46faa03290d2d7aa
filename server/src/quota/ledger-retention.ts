/** Drops ledger rows past their time, a few at once so that requests need not wait. */
import type { Clock } from '../base/clock.ts';
import type { UsageTable } from '../store/sqlite/usage.ts';

const DAY_MS = 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const BATCH_ROWS = 500;
const BATCH_PAUSE_MS = 20;

export interface LedgerRetentionOptions {
  readonly table: UsageTable;
  readonly clock: Clock;
  readonly ledgerDays: number;
  readonly onFailure: (error: unknown) => void;
}

export class LedgerRetention {
  readonly #options: LedgerRetentionOptions;
  #timer: NodeJS.Timeout;

  /** Sweeps soon, and then every hour until it is stopped. */
  constructor(options: LedgerRetentionOptions) {
    this.#options = options;
    this.#timer = this.#sweepAfter(BATCH_PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #sweepAfter(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#sweep(), delayMs).unref();
  }

  #sweep(): void {
    const { table, clock, ledgerDays, onFailure } = this.#options;
    let isDone = true;
    try {
      const beforeMs = clock.now() - ledgerDays * DAY_MS;
      isDone = table.deleteLedger(beforeMs, BATCH_ROWS) < BATCH_ROWS;
    } catch (error) {
      onFailure(error);
    }
    this.#timer = this.#sweepAfter(isDone ? SWEEP_INTERVAL_MS : BATCH_PAUSE_MS);
  }
}
