/**
 * Usage that several servers count together: what accounts have used, and what requests have reserved
 * that are admitted and not counted yet, by whichever server.
 */
import type { QuotaUsage } from './quantities.ts';
import type { DayRange, MomentUsage } from './usage.ts';

/** A request that is being admitted. */
export interface AdmittedRequest {
  readonly identityId: number;
  readonly countsInMinute: boolean;
}

/** The moment of a decision. */
export interface DecisionTime {
  readonly nowMs: number;
  /** The days of the month that `nowMs` is in. */
  readonly month: DayRange;
}

export interface SharedUsage {
  /**
   * Reserves requests, and tells of each what its account had used and reserved before it. Each is a
   * decision of its own, in the order given, and no other server's comes between the two. A reservation ends with
   * the request's usage record, or with `release`.
   */
  reserve(requests: readonly AdmittedRequest[], time: DecisionTime): Promise<readonly QuotaUsage[]>;

  /** Ends the reservation of a request that is not counted. */
  release(request: AdmittedRequest): Promise<void>;

  /** Reserves bytes that are being sent, or, with a negative number, gives them back. */
  reserveBytes(identityId: number, byteCount: number): Promise<void>;

  /** What an account has used and reserved now. */
  read(identityId: number, time: DecisionTime): Promise<QuotaUsage>;

  /** What an account has counted in the last 60 seconds, oldest first, the requests of a second together. */
  minute(identityId: number, nowMs: number): Promise<readonly MomentUsage[]>;
}
