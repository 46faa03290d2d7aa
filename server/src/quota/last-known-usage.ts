/**
 * Usage of accounts as far as this server knows while it cannot ask: what it was told
 * last, and what it has let in and counted itself since.
 */
import { RateWindow, WINDOW_MS } from '../base/rate-window.ts';
import {
  addUsage,
  noUsage,
  QUANTITY_NAMES,
  type Quantity,
  type QuotaUsage,
  type UsageSums,
} from '../store/quantities.ts';
import type { MomentUsage } from '../store/usage.ts';

/** More accounts than this are forgotten together. */
const ACCOUNTS_MAX = 10_000;

interface KnownUsage {
  readonly told: QuotaUsage;
  readonly toldAtMs: number;
  /** Since it was told. */
  readonly monthSince: UsageSums;
  readonly minuteSince: RateWindow<Quantity>;
}

function summed(one: Readonly<UsageSums>, other: Readonly<UsageSums>): UsageSums {
  const sums = { ...one };
  addUsage(sums, other);
  return sums;
}

export class LastKnownUsage {
  readonly #accounts = new Map<number, KnownUsage>();

  /** Notes what the store has told. */
  tell(accountId: number, told: QuotaUsage, nowMs: number): void {
    if (this.#accounts.size >= ACCOUNTS_MAX) this.#accounts.clear();
    this.#accounts.set(accountId, {
      told,
      toldAtMs: nowMs,
      monthSince: noUsage(),
      minuteSince: new RateWindow(QUANTITY_NAMES),
    });
  }

  /** Adds to an account what this server lets in or counts while nobody can be asked. */
  add(accountId: number, amounts: QuotaUsage, nowMs: number): void {
    if (!this.#accounts.has(accountId)) this.tell(accountId, NOTHING, nowMs);
    const known = this.#accounts.get(accountId) as KnownUsage;
    addUsage(known.monthSince, amounts.month);
    known.minuteSince.add({ ...amounts.minute, atMs: nowMs } satisfies MomentUsage);
  }

  /** Nothing for an account that was not told of. */
  used(accountId: number, nowMs: number): QuotaUsage {
    const known = this.#accounts.get(accountId);
    if (!known) return NOTHING;
    const { told, toldAtMs, monthSince, minuteSince } = known;
    const isRecent = nowMs - toldAtMs < WINDOW_MS;
    return {
      month: summed(told.month, monthSince),
      minute: summed(isRecent ? told.minute : noUsage(), minuteSince.used(nowMs)),
    };
  }
}

const NOTHING: QuotaUsage = { month: noUsage(), minute: noUsage() };
