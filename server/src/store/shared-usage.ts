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
  /** The number under which it was given; 0: none was. */
  readonly number: number;
  /** How many of its requests were let in since. */
  readonly takenCount: number;
}

/** What is reserved for an account: requests that wait, and a lease on others that may come. */
export interface AccountReservation {
  readonly identityId: number;
  /** How many of the requests count in the month, and in the minute. */
  readonly requestCounts: Readonly<Record<QuotaSpan, number>>;
  /**
   * Limits on requests, null for none: what passes one only because others have reserved ahead, and may give it back, is
   * not reserved.
   */
  readonly limits: Readonly<Record<QuotaSpan, number | null>>;
  /** What is not taken of it is given back, before anything is decided. */
  readonly held: HeldLease;
  /** The next lease, in place of that one. */
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
   * about an account comes between the two. The reservation of a request ends with its usage record, or with `release`.
   */
  reserve(
    accounts: readonly AccountReservation[],
    time: DecisionTime,
  ): Promise<readonly DecidedUsage[]>;

  /** Ends the reservation of a request that is not counted. */
  release(request: AdmittedRequest): Promise<void>;

  /** Reserves bytes that are being sent, or, with a negative number, gives them back. */
  reserveBytes(identityId: number, byteCount: number): Promise<void>;

  /** What an account has used and reserved now, but not ahead. */
  read(identityId: number, time: DecisionTime): Promise<QuotaUsage>;

  /** What an account has counted in the last 60 seconds, oldest first, the requests of a second together. */
  minute(identityId: number, nowMs: number): Promise<readonly MomentUsage[]>;
}
