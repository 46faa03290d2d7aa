/**
 * Usage that several servers count together: what accounts have used, and what requests have reserved
 * that are admitted and not counted yet, by whichever server.
 */
import type { QuotaSpan, QuotaUsage } from './quantities.ts';
import type { DayRange, MomentUsage } from './usage.ts';

/** A request that is being admitted. */
export interface AdmittedRequest {
  readonly identityId: number;
  readonly countsInMinute: boolean;
}

/** What a server has been given ahead of need, as far as it knows. */
export interface HeldLease {
  /**
   * Of the last reservation whose answer came; 0: none has. What is stored under a greater number is one whose answer was
   * lost: nobody was let in by it, and all of it is taken back first.
   */
  readonly number: number;
  /** How many of its requests were let in since. */
  readonly takenCount: number;
}

/** What is reserved for an account: requests that wait, and a lease on others that may come. */
export interface AccountReservation {
  readonly identityId: number;
  /** How many of the requests count in the month, and in the minute. */
  readonly requestCounts: Readonly<Record<QuotaSpan, number>>;
  /** How many that were reserved before are given back, because they are not counted. */
  readonly droppedCounts: Readonly<Record<QuotaSpan, number>>;
  /** All that is being sent at this moment. */
  readonly sendingBytes: number;
  /**
   * Limits on requests, null for none: what passes one only because others have reserved ahead, and may give it back, is
   * not reserved.
   */
  readonly limits: Readonly<Record<QuotaSpan, number | null>>;
  /** What is not taken of it is given back, before anything is decided. */
  readonly held: HeldLease;
  /** Of this reservation, and of the next lease, in place of that one. A server's numbers grow. */
  readonly nextNumber: number;
  readonly aheadCount: number;
}

/** Usage of an account before its requests, with all that is reserved. */
export interface DecidedUsage {
  readonly used: QuotaUsage;
  /** Whether none of its requests was reserved. */
  readonly isPutOff: boolean;
}

/** The moment of a decision. */
export interface DecisionTime {
  readonly nowMs: number;
  /** The days of the month that `nowMs` is in. */
  readonly month: DayRange;
}

export interface SharedUsage {
  /**
   * Reserves requests of accounts, each of them once, and tells what each had used before. No other server's decision
   * about an account comes between the two. The reservation of a request ends with its usage record, or when it is given
   * back. Where this rejects, the next reservation of the account settles what it has left.
   */
  reserve(
    accounts: readonly AccountReservation[],
    time: DecisionTime,
  ): Promise<readonly DecidedUsage[]>;

  /** What an account has used and reserved now, but not ahead. */
  read(identityId: number, time: DecisionTime): Promise<QuotaUsage>;

  /** What an account has counted in the last 60 seconds, oldest first, the requests of a second together. */
  minute(identityId: number, nowMs: number): Promise<readonly MomentUsage[]>;
}
