/** Drops ledger rows past their time, a few at once so that requests need not wait. */
import type { Clock } from '../base/clock.ts';
import { RepeatedWork } from '../base/repeated-work.ts';

const DAY_MS = 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const BATCH_ROWS = 500;
const BATCH_PAUSE_MS = 20;

interface LedgerRetentionOptions {
  /** Drops up to `limit` rows from before a moment; says how many. */
  readonly deleteLedger: (beforeMs: number, limit: number) => Promise<number>;
  readonly clock: Clock;
  readonly ledgerDays: number;
  readonly onFailure: (error: unknown) => void;
}

/** Sweeps soon, and then every hour until it is stopped. */
export function keepLedgerDays({
  deleteLedger,
  clock,
  ledgerDays,
  onFailure,
}: LedgerRetentionOptions): RepeatedWork {
  let pauseMs = BATCH_PAUSE_MS;
  const sweep = async () => {
    pauseMs = SWEEP_INTERVAL_MS;
    try {
      const beforeMs = clock.now() - ledgerDays * DAY_MS;
      if ((await deleteLedger(beforeMs, BATCH_ROWS)) === BATCH_ROWS) pauseMs = BATCH_PAUSE_MS;
    } catch (error) {
      onFailure(error);
    }
  };
  return new RepeatedWork(sweep, () => pauseMs);
}
