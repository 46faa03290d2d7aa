/**
 * Requests that are reserved ahead for accounts that ask often, so that most of theirs wait for no
 * reservation of their own. An account far from its limits gets about what it asks for in two
 * intervals, a small share of what is left; near a limit, and once it asks little, none. Beside
 * them stands what else the store has to be told: requests to give back, and the bytes that are
 * being sent. It is told until an answer comes, and counts once.
 */
import { type QuotaLimits, UNLIMITED } from '../store/accounts.ts';
import { QUOTA_SPANS, type QuotaSpan, type QuotaUsage } from '../store/quantities.ts';
import type { HeldLease } from '../store/shared.ts';

/** How often leases are told to the store, and judged anew. */
export const LEASE_INTERVAL_MS = 100;
/** A lease not confirmed for this long is not used: the store may have forgotten it. */
const LEASE_MS = 2000;
/** Who asks less in an interval gets none. */
const OFTEN = 8;
const AHEAD_MAX = 1000;
/** Part of what is left of a limit that is reserved ahead at most, by each server. */
const LEFT_PARTS = 32;

type RequestCounts = Readonly<Record<QuotaSpan, number>>;
const NONE: RequestCounts = { month: 0, minute: 0 };

interface Lease {
  limits: QuotaLimits;
  /** Number of the last question that is known to be answered. */
  number: number;
  takenCount: number;
  /** Requests that may still be taken; none while the store is asked. */
  leftCount: number;
  goodUntilMs: number;
  /** Requests in this interval. */
  askedCount: number;
  /** Size of the next lease. */
  wantedCount: number;
  /** True if the store may hold some of it. */
  isStored: boolean;
  /** Requests to give back. */
  droppedCounts: RequestCounts;
  sendingBytes: number;
  /** As far as the store knows. */
  toldBytes: number;
}

/** The next question to the store, once the last lease is settled. */
export interface LeaseQuestion extends HeldLease {
  readonly nextNumber: number;
  readonly aheadCount: number;
  readonly droppedCounts: RequestCounts;
  readonly sendingBytes: number;
}

function plus(counts: RequestCounts, more: RequestCounts, times = 1): RequestCounts {
  return {
    month: counts.month + times * more.month,
    minute: counts.minute + times * more.minute,
  };
}

/** Requests left within an account's limits; infinite without limits. */
function leftOf(limits: QuotaLimits, used: QuotaUsage): number {
  return Math.min(
    ...QUOTA_SPANS.map((span) => (limits[span].requests ?? Infinity) - used[span].requests),
  );
}

export class Leases {
  readonly #accounts = new Map<number, Lease>();
  #lastNumber = 0;

  /** Notes that a request comes in. */
  note(accountId: number, limits: QuotaLimits): void {
    const lease = this.#leaseOf(accountId);
    lease.limits = limits;
    lease.askedCount += 1;
  }

  /** Notes that requests were let in which will not be counted. */
  drop(accountId: number, counts: RequestCounts): void {
    const lease = this.#leaseOf(accountId);
    lease.droppedCounts = plus(lease.droppedCounts, counts);
  }

  /** Notes that so many bytes more are being sent; or, of a negative number, less. */
  send(accountId: number, byteCount: number): void {
    this.#leaseOf(accountId).sendingBytes += byteCount;
  }

  /** True if there is one to take. */
  canTake(accountId: number, nowMs: number): boolean {
    const lease = this.#accounts.get(accountId);
    return lease !== undefined && lease.leftCount > 0 && nowMs < lease.goodUntilMs;
  }

  take(accountId: number): void {
    const lease = this.#accounts.get(accountId) as Lease;
    lease.leftCount -= 1;
    lease.takenCount += 1;
  }

  /** How many the store does not know to be taken. */
  takenCount(accountId: number): number {
    return this.#accounts.get(accountId)?.takenCount ?? 0;
  }

  /**
   * Gives back what is left, for what is wanted next; nothing can be taken until that is granted.
   */
  ask(accountId: number): LeaseQuestion {
    const lease = this.#leaseOf(accountId);
    const nextNumber = ++this.#lastNumber;
    lease.leftCount = 0;
    lease.isStored = true;
    const { number, takenCount, wantedCount: aheadCount, droppedCounts, sendingBytes } = lease;
    return { number, takenCount, nextNumber, aheadCount, droppedCounts, sendingBytes };
  }

  /** A failed question is asked again; by its number the store knows if it was answered. */
  grant(accountId: number, question: LeaseQuestion, nowMs: number): void {
    const { nextNumber, aheadCount, droppedCounts, sendingBytes } = question;
    const lease = this.#leaseOf(accountId);
    Object.assign(lease, { number: nextNumber, takenCount: 0, leftCount: aheadCount });
    lease.isStored = aheadCount > 0;
    lease.droppedCounts = plus(lease.droppedCounts, droppedCounts, -1);
    lease.toldBytes = sendingBytes;
    lease.goodUntilMs = nowMs + LEASE_MS;
  }

  /** Ends an interval, and says which accounts the store has to be asked for. */
  endInterval(usedBy: (accountId: number) => QuotaUsage): number[] {
    for (const [accountId, lease] of this.#accounts) {
      lease.wantedCount = this.#wantedOf(lease, usedBy(accountId));
      const isIdle = lease.askedCount === 0;
      lease.askedCount = 0;
      if (isIdle && !needsAsking(lease) && lease.sendingBytes === 0) {
        this.#accounts.delete(accountId);
      }
    }
    return [...this.#accounts].filter(([, lease]) => needsAsking(lease)).map(([id]) => id);
  }

  /** The accounts of which something has to be given back. */
  end(): number[] {
    for (const lease of this.#accounts.values()) lease.wantedCount = 0;
    return [...this.#accounts].filter(([, lease]) => needsAsking(lease)).map(([id]) => id);
  }

  #leaseOf(accountId: number): Lease {
    const known = this.#accounts.get(accountId);
    if (known) return known;
    const counts = { takenCount: 0, leftCount: 0, askedCount: 0, wantedCount: 0 };
    const told = { droppedCounts: NONE, sendingBytes: 0, toldBytes: 0, isStored: false };
    // Whatever was asked before for the account has been answered, or its lease were still there.
    const lease = {
      ...counts,
      ...told,
      number: this.#lastNumber,
      limits: UNLIMITED,
      goodUntilMs: 0,
    };
    this.#accounts.set(accountId, lease);
    return lease;
  }

  #wantedOf({ askedCount, limits }: Lease, used: QuotaUsage): number {
    if (askedCount < OFTEN) return 0;
    const share = Math.max(0, Math.floor(leftOf(limits, used) / LEFT_PARTS));
    return Math.min(2 * askedCount, AHEAD_MAX, share);
  }
}

function needsAsking(lease: Lease): boolean {
  const { isStored, wantedCount, droppedCounts, sendingBytes, toldBytes } = lease;
  return isStored || wantedCount > 0 || droppedCounts.month > 0 || sendingBytes !== toldBytes;
}
