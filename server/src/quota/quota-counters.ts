/** Usage and reservations of accounts: of one server, or of several that share a store. */
import type { Account } from '../store/accounts.ts';
import type { Quantity, QuotaUsage } from '../store/quantities.ts';
import type { MomentUsage, UsageRecord } from '../store/usage.ts';
import type { Release, ReservedBytes } from './release.ts';

/** A request that was admitted and is not counted yet. */
export interface Reservation {
  /** Usage of its account before it. */
  readonly usedBefore: QuotaUsage;
  /** True if the store holds it, for other servers to see. */
  readonly isStored: boolean;
  /** Ends it for a request that is not counted. */
  readonly release: Release;
}

/** An account, and its limits by now. */
export type LimitedAccount = Pick<Account, 'accountId' | 'limits'>;

export interface QuotaCounters {
  /** Usage of an account in this month and in the last 60 seconds. */
  read(accountId: number): Promise<QuotaUsage>;

  /** Reserves a request, and tells what its account had used before: one decision. */
  reserve(account: LimitedAccount, countsInMinute: boolean): Promise<Reservation>;

  /** Reserves bytes that are being sent. */
  reserveBytes(accountId: number, byteCount: number): ReservedBytes;

  /** Requests that this server has admitted and not counted yet. */
  readonly reservedCount: number;

  /**
   * The moment at which the minute will hold less than `limit` of a quantity, if `next` is the last
   * to be counted and every reservation ends with it.
   */
  minuteClearsAtMs(
    accountId: number,
    quantity: Quantity,
    limit: number,
    next: MomentUsage,
  ): Promise<number>;

  /**
   * Counts a request, which ends its reservation; it becomes a pending one before the next await.
   */
  count(record: UsageRecord, reservation: Reservation): void;

  /** Counts bytes sent so far; the request itself is counted at the end. */
  countStep(record: UsageRecord): void;

  /** Gives back what is reserved for nobody; nothing is asked afterwards. */
  close(): Promise<void>;
}
