/**
 * Requests that are reserved ahead for accounts that ask often, so that most of theirs wait for no reservation of their
 * own. An account far from its limits gets about what it asks for in two intervals, a small share of what is left;
 * near a limit, and once it asks little, none.
 */
import type { QuotaLimits } from '../store/identities.ts';
import { QUOTA_SPANS, type QuotaUsage } from '../store/quantities.ts';
import type { HeldLease } from '../store/shared-usage.ts';

/** How often leases are told to the store, and judged anew. */
export const LEASE_INTERVAL_MS = 100;
/** Of a lease that was not told for so long nothing is taken: the store may have forgotten it. */
const LEASE_MS = 2000;
/** Who asks less in an interval gets none. */
const OFTEN = 8;
const AHEAD_MAX = 1000;
/** Part of what is left of a limit that is reserved ahead at most, by each server. */
const LEFT_PARTS = 32;

interface Lease {
  limits: QuotaLimits;
  /** Of the last one that is known to be stored. */
  number: number;
  takenCount: number;
  /** What may still be taken; nothing while the store is asked. */
  leftCount: number;
  goodUntilMs: number;
  /** Requests in this interval. */
  askedCount: number;
  /** What the next one is to hold. */
  wantedCount: number;
  /** Whether the store may hold some of it. */
  isStored: boolean;
}

/** What to ask the store for, once what it holds of the last lease is settled. */
export interface LeaseQuestion extends HeldLease {
  readonly nextNumber: number;
  readonly aheadCount: number;
}

/** What is left of an account's limits on requests; infinite where it has none. */
function leftOf(limits: QuotaLimits, used: QuotaUsage): number {
  return Math.min(
    ...QUOTA_SPANS.map((span) => (limits[span].requests ?? Infinity) - used[span].requests),
  );
}

export class Leases {
  readonly #accounts = new Map<number, Lease>();
  #lastNumber = 0;

  /** Notes that a request comes in. */
  note(identityId: number, limits: QuotaLimits): void {
    const lease = this.#accounts.get(identityId) ?? this.#begin(identityId, limits);
    lease.limits = limits;
    lease.askedCount += 1;
  }

  /** Whether there is one to take. */
  canTake(identityId: number, nowMs: number): boolean {
    const lease = this.#accounts.get(identityId);
    return lease !== undefined && lease.leftCount > 0 && nowMs < lease.goodUntilMs;
  }

  take(identityId: number): void {
    const lease = this.#accounts.get(identityId) as Lease;
    lease.leftCount -= 1;
    lease.takenCount += 1;
  }

  /** How many the store does not know to be taken. */
  takenCount(identityId: number): number {
    return this.#accounts.get(identityId)?.takenCount ?? 0;
  }

  /** Gives back what is left, for what is wanted next; nothing can be taken until that is granted. */
  ask(identityId: number): LeaseQuestion {
    const lease = this.#accounts.get(identityId);
    const nextNumber = ++this.#lastNumber;
    if (!lease) return { number: 0, takenCount: 0, nextNumber, aheadCount: 0 };
    const { number, takenCount, wantedCount: aheadCount } = lease;
    lease.leftCount = 0;
    lease.isStored = true;
    return { number, takenCount, nextNumber, aheadCount };
  }

  /** Of a question that failed, the store is told the same again, and knows by the number whether it was answered. */
  grant(identityId: number, { nextNumber, aheadCount }: LeaseQuestion, nowMs: number): void {
    const lease = this.#accounts.get(identityId);
    if (!lease) return;
    Object.assign(lease, { number: nextNumber, takenCount: 0, leftCount: aheadCount });
    lease.isStored = aheadCount > 0;
    lease.goodUntilMs = nowMs + LEASE_MS;
  }

  /** Ends an interval, and says which accounts the store has to be asked for. */
  endInterval(usedBy: (identityId: number) => QuotaUsage): number[] {
    for (const [identityId, lease] of this.#accounts) {
      lease.wantedCount = this.#wantedOf(lease, usedBy(identityId));
      const isIdle = lease.askedCount === 0;
      lease.askedCount = 0;
      if (isIdle && !lease.isStored) this.#accounts.delete(identityId);
    }
    return [...this.#accounts].filter(([, lease]) => needsAsking(lease)).map(([id]) => id);
  }

  /** The accounts whose leases have to be given back. */
  end(): number[] {
    for (const lease of this.#accounts.values()) lease.wantedCount = 0;
    return [...this.#accounts].filter(([, { isStored }]) => isStored).map(([id]) => id);
  }

  #begin(identityId: number, limits: QuotaLimits): Lease {
    const counts = { number: 0, takenCount: 0, leftCount: 0, askedCount: 0, wantedCount: 0 };
    const lease = { ...counts, limits, goodUntilMs: 0, isStored: false };
    this.#accounts.set(identityId, lease);
    return lease;
  }

  #wantedOf({ askedCount, limits }: Lease, used: QuotaUsage): number {
    if (askedCount < OFTEN) return 0;
    const share = Math.max(0, Math.floor(leftOf(limits, used) / LEFT_PARTS));
    return Math.min(2 * askedCount, AHEAD_MAX, share);
  }
}

function needsAsking({ isStored, wantedCount }: Lease): boolean {
  return isStored || wantedCount > 0;
}
