/**
 * The control store: who may read what, and what was used. It may be far away, and several
 * processes may have it open; a change made by any of them counts at once for all.
 *
 * - Every request needs `replica`, which is in memory: its reads are synchronous, and right after
 * `catchUp`. What is decided on it between two awaits is decided in one step.
 * - Rare reads are promises, and never see what is not committed.
 * - Writes exist on a transaction only. What must be decided together with a write is read through
 * the same transaction.
 */
import type { AccessRequestReader } from './access-requests.ts';
import type { AccessRuleReader } from './access-rules.ts';
import type { AccountReader } from './accounts.ts';
import type { ApiKeyReader } from './api-keys.ts';
import type { AuditLogReader } from './audit-log.ts';
import type { EnquiryReader } from './enquiries.ts';
import type { OfferReader } from './offers.ts';
import type { PersonReader } from './people.ts';
import type { PersonLinkReader } from './person-links.ts';
import type { Replica } from './replica.ts';
import type { SecondFactorReader } from './second-factors.ts';
import type { SessionReader } from './sessions.ts';
import type { SharedRates, SharedSecrets, SharedUsage } from './shared.ts';
import type { SignInPlaceReader } from './sign-in-places.ts';
import type { StoreSnapshot } from './store-snapshot.ts';
import type { Tables, WriteKind, WriteObserver } from './tables.ts';
import type { UsageReader } from './usage-table.ts';

/** Reads of committed records or, through a transaction, of what it has written too. */
export interface StoreReader {
  readonly offers: OfferReader;
  readonly accounts: AccountReader;
  readonly keys: ApiKeyReader;
  readonly rules: AccessRuleReader;
  readonly accessRequests: AccessRequestReader;
  readonly enquiries: EnquiryReader;
  readonly people: PersonReader;
  readonly personLinks: PersonLinkReader;
  readonly sessions: SessionReader;
  readonly secondFactors: SecondFactorReader;
  readonly signInPlaces: SignInPlaceReader;
  readonly audit: AuditLogReader;
  readonly usage: UsageReader;
}

/**
 * The tables inside one transaction. It is over when the promise of its work settles; whatever is
 * asked of it later is refused. It begins no transaction of its own.
 */
export type StoreTransaction = Tables;

/** A store that cannot be reached. Requests go on by what was known of it, for some time. */
export interface Outage {
  /** Why, as a clause for the operator. */
  readonly reason: string;
  /** For how much longer they go on. */
  readonly graceMs: number;
}

export interface ControlStore extends StoreReader {
  readonly replica: Replica;
  readonly writes: Pick<WriteObserver, 'failedCounts' | 'problem'>;
  /** Null while the replica knows all, and after the time is over, when `catchUp` rejects. */
  readonly outage: Outage | null;
  /** Null: one server at a time counts in this store, by itself. */
  readonly sharedUsage: SharedUsage | null;
  /** Null: what happens within a minute is counted in memory. */
  readonly sharedRates: SharedRates | null;
  /** Null: secrets lie in files of the home. */
  readonly sharedSecrets: SharedSecrets | null;

  /**
   * Has the replica know every change that any process committed before the call; in an outage,
   * all that was known before it.
   */
  catchUp(): Promise<void>;

  /**
   * Runs `work` in one transaction: all of it is committed when its promise resolves, none when it
   * rejects. Transactions see each other's writes as if they ran one after the other. Inside `work`
   * the store is used through the transaction only; another one cannot begin there.
   *
   * Rejects with a `StoreUnavailableError` where the storage does not take it.
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>, kind?: WriteKind): Promise<T>;

  /** Bytes that can be written when nothing else has room; null: the store reserves none. */
  reservedBytes(): number | null;
  /**
   * Takes what is committed now as a snapshot. Nobody writes to the store from before `meanwhile`
   * begins until its promise settles, so that it is the same moment for whatever else is taken
   * there.
   */
  openSnapshot<T>(meanwhile: () => Promise<T>): Promise<readonly [StoreSnapshot, T]>;
  /** Gets ready for a server, which takes a while: makes the reserve, where there is one. */
  prepare(): Promise<void>;
  /**
   * Called by a server every few seconds: keeps the reserve full, and tries to write after a
   * failure.
   */
  maintain(): Promise<void>;
  close(): Promise<void>;
}
