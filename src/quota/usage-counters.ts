/**
 * What each identity has used, in memory: its totals of the month, read from the store when it is
 * first seen, and its last 60 seconds, which begin with what the store has of them at the start.
 * An identity that is idle leaves memory.
 */
import type { QuotaSpan } from '../store/identities.ts';
import type { MomentUsage, UsageAmounts, UsageRecord, UsageTable } from '../store/usage.ts';
import { MinuteWindow, WINDOW_MS } from './minute-window.ts';
import { daysOf, type UtcMonth, utcMonth } from './utc-month.ts';

/** Time after which an identity that asks for nothing leaves memory. */
const IDLE_MS = 10 * WINDOW_MS;

export type QuotaUsage = Readonly<Record<QuotaSpan, UsageAmounts>>;

interface IdentityCounters {
  month: UtcMonth;
  monthUsage: { -readonly [Quantity in keyof UsageAmounts]: number };
  readonly minute: MinuteWindow;
  seenAtMs: number;
}

/** What a request adds to the minute. */
function momentOf(record: UsageRecord): MomentUsage {
  const { answeredAtMs, countsInMinute, scannedBytes, returnedBytes } = record;
  return { atMs: answeredAtMs, requests: Number(countsInMinute), scannedBytes, returnedBytes };
}

function addToMonth(counters: IdentityCounters, record: UsageRecord): void {
  counters.monthUsage.requests++;
  counters.monthUsage.scannedBytes += record.scannedBytes;
  counters.monthUsage.returnedBytes += record.returnedBytes;
}

export interface UsageCountersOptions {
  readonly table: UsageTable;
  readonly nowMs: number;
  /** Requests that were counted and are not in the store yet. */
  readonly pending: () => Iterable<UsageRecord>;
}

export class UsageCounters {
  readonly #options: UsageCountersOptions;
  readonly #byIdentity = new Map<number, IdentityCounters>();
  /** Minutes from before the start, of identities that have not been seen since. */
  readonly #restored = new Map<number, MinuteWindow>();
  #evictedAtMs: number;

  constructor(options: UsageCountersOptions) {
    this.#options = options;
    const { table, nowMs } = options;
    this.#evictedAtMs = nowMs;
    for (const { identityId, ...moment } of table.listMoments(nowMs - WINDOW_MS, nowMs)) {
      const minute = this.#restored.get(identityId) ?? new MinuteWindow();
      this.#restored.set(identityId, minute);
      minute.add(moment);
    }
  }

  used(identityId: number, nowMs: number): QuotaUsage {
    const { monthUsage, minute } = this.#countersOf(identityId, nowMs);
    return { month: { ...monthUsage }, minute: minute.used(nowMs) };
  }

  /** Counts a request; it must not be among the pending ones yet. */
  count(record: UsageRecord): void {
    const counters = this.#countersOf(record.identityId, record.answeredAtMs);
    addToMonth(counters, record);
    counters.minute.add(momentOf(record));
  }

  /** When the minute has less than `limit` of a quantity, if only `next` is still counted. */
  clearsAtMs(
    identityId: number,
    quantity: keyof UsageAmounts,
    limit: number,
    next: MomentUsage,
  ): number {
    return this.#countersOf(identityId, next.atMs).minute.clearsAtMs(quantity, limit, next);
  }

  get identityCount(): number {
    return this.#byIdentity.size;
  }

  #countersOf(identityId: number, nowMs: number): IdentityCounters {
    this.#evictIdle(nowMs);
    const known = this.#byIdentity.get(identityId);
    // A clock that was set back far: the minute starts anew.
    if (!known || nowMs < known.seenAtMs - WINDOW_MS) return this.#load(identityId, nowMs);
    known.seenAtMs = Math.max(known.seenAtMs, nowMs);
    if (nowMs >= known.month.endMs) this.#loadMonth(identityId, known, utcMonth(nowMs));
    return known;
  }

  #load(identityId: number, nowMs: number): IdentityCounters {
    const minute = this.#restored.get(identityId) ?? new MinuteWindow();
    this.#restored.delete(identityId);
    const month = utcMonth(nowMs);
    const monthUsage = { requests: 0, scannedBytes: 0, returnedBytes: 0 };
    const counters: IdentityCounters = { month, monthUsage, minute, seenAtMs: nowMs };
    this.#loadMonth(identityId, counters, month);
    this.#byIdentity.set(identityId, counters);
    return counters;
  }

  #loadMonth(identityId: number, counters: IdentityCounters, month: UtcMonth): void {
    counters.month = month;
    counters.monthUsage = { ...this.#options.table.total(identityId, daysOf(month)) };
    for (const record of this.#options.pending()) {
      const { answeredAtMs } = record;
      const isOfMonth = answeredAtMs >= month.startMs && answeredAtMs < month.endMs;
      if (record.identityId === identityId && isOfMonth) addToMonth(counters, record);
    }
  }

  /** Looks at every identity, but not more often than once in their idle time. */
  #evictIdle(nowMs: number): void {
    if (Math.abs(nowMs - this.#evictedAtMs) < IDLE_MS) return;
    this.#evictedAtMs = nowMs;
    this.#restored.clear();
    for (const [identityId, { seenAtMs }] of this.#byIdentity) {
      if (Math.abs(nowMs - seenAtMs) >= IDLE_MS) this.#byIdentity.delete(identityId);
    }
  }
}
