/** Usage, rates and secrets that several servers of a store have in common. */
import type { QuotaSpan, QuotaUsage } from './quantities.ts';
import type { DayRange, MomentUsage } from './usage.ts';

/** A request that is being admitted. */
export interface AdmittedRequest {
  readonly accountId: number;
  readonly countsInMinute: boolean;
}

/** Requests granted to a server ahead of need, as far as it knows. */
export interface HeldLease {
  /**
   * Number of the last reservation whose answer came; 0: none. What is stored under a greater one
   * is one whose answer was lost: nobody was let in by it, and all of it is taken back first.
   */
  readonly number: number;
  /** How many of its requests were let in since. */
  readonly takenCount: number;
}

/** A reservation for an account: requests that wait, and a lease on others that may come. */
export interface AccountReservation {
  readonly accountId: number;
  /** How many of the requests count in the month, and in the minute. */
  readonly requestCounts: Readonly<Record<QuotaSpan, number>>;
  /** How many that were reserved before are given back, because they are not counted. */
  readonly droppedCounts: Readonly<Record<QuotaSpan, number>>;
  /** All that is being sent at this moment. */
  readonly sendingBytes: number;
  /**
   * Limits on requests, null for none: what passes one only because others have reserved ahead, and
   * may give it back, is not reserved.
   */
  readonly limits: Readonly<Record<QuotaSpan, number | null>>;
  /** The rest of it is given back before anything is decided. */
  readonly held: HeldLease;
  /** Number of this reservation and of the lease it grants; increasing per server. */
  readonly nextNumber: number;
  readonly aheadCount: number;
}

/** Usage of an account before its requests, with all that is reserved. */
export interface DecidedUsage {
  readonly used: QuotaUsage;
  /** True if none of its requests was reserved. */
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
   * Reserves requests of accounts, each of them once, and tells what each had used before. No other
   * server's decision about an account comes between the two. The reservation of a request ends
   * with its usage record, or when it is given back. Where this rejects, the next reservation of
   * the account settles what it has left.
   */
  reserve(
    accounts: readonly AccountReservation[],
    time: DecisionTime,
  ): Promise<readonly DecidedUsage[]>;

  /** Usage and reservations of an account now, without those ahead. */
  read(accountId: number, time: DecisionTime): Promise<QuotaUsage>;

  /** Usage of an account in the last 60 seconds, one entry per second, oldest first. */
  minute(accountId: number, nowMs: number): Promise<readonly MomentUsage[]>;
}

/**
 * Counts of what happens within a minute, by subjects of which nothing but their texts is known.
 */
export interface SharedRates {
  /**
   * Counts one time for each of `counted`, unless any of `judged` has been counted so many times in
   * the last minute; then null. The number is what `takeBack` needs. All servers of the store count
   * together, by its clock, and no two at the same moment.
   */
  count(
    judged: readonly string[],
    counted: readonly string[],
    timesMax: number,
  ): Promise<number | null>;

  /** Undoes a `count`. */
  takeBack(counted: readonly string[], moment: number): Promise<void>;
}

/** Secrets that all servers of a store have in common, each a text with a name. */
export interface SharedSecrets {
  /** Null: there is none. */
  read(name: string): Promise<string | null>;

  /**
   * Keeps what `make` makes of what there is, which nobody else changes meanwhile, and gives it
   * back.
   */
  change<T extends string | null>(name: string, make: (current: string | null) => T): Promise<T>;
}
