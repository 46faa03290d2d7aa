import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedClock } from '../base/clock.ts';
import { keepLedgerDays } from './usage-meter.ts';

const NOW = '2026-11-20T21:00:00Z';
const HOUR_MS = 3_600_000;

/** A ledger that deletes as many rows as it is told, and notes when it was asked. */
function openRetention(deletions: (number | Error)[]) {
  const startedAtMs = Date.now();
  const state = { askedAtMs: [] as number[], failures: [] as unknown[], beforeMs: 0 };
  const deleteLedger = async (beforeMs: number, rowsMax: number) => {
    state.askedAtMs.push(Date.now() - startedAtMs);
    state.beforeMs = beforeMs;
    const deleted = deletions.shift() ?? 0;
    if (deleted instanceof Error) throw deleted;
    return Math.min(deleted, rowsMax);
  };
  const retention = keepLedgerDays({
    deleteLedger,
    clock: fixedClock(NOW),
    ledgerDays: 30,
  });
  retention.onFailure = (error) => state.failures.push(error);
  return { retention, state };
}

describe('the retention of the ledger', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('deletes what is past its days, soon after the start and then every hour', async () => {
    const { state } = openRetention([]);
    await vi.advanceTimersByTimeAsync(HOUR_MS + 1000);
    expect(state.beforeMs).toBe(Date.parse(NOW) - 30 * 86_400_000);
    expect(state.askedAtMs).toEqual([20, HOUR_MS + 20]);
  });

  it('deletes many rows a few at once, with pauses in between, until none are left', async () => {
    const { state } = openRetention([500, 1000, 499]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(state.askedAtMs).toEqual([20, 40, 60]);
  });

  it('tells a failure and tries again after an hour, not at once', async () => {
    const failure = new Error('the disk is full');
    const { state } = openRetention([failure]);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(state.askedAtMs).toEqual([20]);
    expect(state.failures).toEqual([failure]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(state.askedAtMs).toHaveLength(2);
  });

  it('stops when it is told to', async () => {
    const { retention, state } = openRetention([500, 500]);
    await vi.advanceTimersByTimeAsync(20);
    await retention.close();
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(state.askedAtMs).toEqual([20]);
  });
});
