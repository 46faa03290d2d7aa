/** The tables of a control store, over what is committed or in a transaction. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { AccessRequestTable } from './access-requests.ts';
import { AccessRuleTable } from './access-rules.ts';
import { AccountTable } from './accounts.ts';
import type { Credential } from './api-keys.ts';
import { ApiKeyTable } from './api-keys.ts';
import { AuditLog } from './audit-log.ts';
import { EnquiryTable } from './enquiries.ts';
import { OfferTable } from './offers.ts';
import { PersonTable } from './people.ts';
import { PersonLinkTable } from './person-links.ts';
import type { Queries } from './queries.ts';
import { TableReader } from './records.ts';
import { SecondFactorTable } from './second-factors.ts';
import { type SessionHolder, SessionTable } from './sessions.ts';
import { SignInPlaceTable } from './sign-in-places.ts';
import { storageProblem } from './store-errors.ts';
import { type CountedUsage, UsageTable } from './usage-table.ts';

/**
 * Who takes from space that a store reserves. When usage may take no more, it waits in memory; a
 * change, which may revoke a key, is refused last.
 */
export type WriteKind = 'usage' | 'change';

export class Tables extends TableReader {
  readonly offers = new OfferTable(this.queries);
  readonly accounts = new AccountTable(this.queries);
  readonly keys = new ApiKeyTable(this.queries);
  readonly rules = new AccessRuleTable(this.queries);
  readonly accessRequests = new AccessRequestTable(this.queries);
  readonly enquiries = new EnquiryTable(this.queries);
  readonly people = new PersonTable(this.queries);
  readonly personLinks = new PersonLinkTable(this.queries);
  readonly sessions = new SessionTable(this.queries);
  readonly secondFactors = new SecondFactorTable(this.queries);
  readonly signInPlaces = new SignInPlaceTable(this.queries);
  readonly audit = new AuditLog(this.queries);
  readonly usage: UsageTable;

  /** `counted`: sums that servers have in common; null: there are none. */
  constructor(queries: Queries, counted: CountedUsage | null) {
    super(queries);
    this.usage = new UsageTable(queries, counted);
  }

  /** As the replica's, but of this transaction. */
  async findCredential(hash: string): Promise<Credential | null> {
    const key = await this.keys.findByHash(hash);
    const account = key && (await this.accounts.find(key.accountId));
    return account && { key, account };
  }

  async findSession(tokenHash: string): Promise<SessionHolder | null> {
    const session = await this.sessions.find(tokenHash);
    const person = session && (await this.people.find(session.personId));
    if (!person) return null;
    const { accountId } = person;
    const account = accountId === null ? null : await this.accounts.find(accountId);
    return { session, person, account };
  }
}

/** Statements of a transaction, which refuse whatever is asked of them after its end. */
export interface TransactionQueries extends Queries {
  readonly isOver: boolean;
}

/** How writing goes: what failed, and what the operator has to know about it. */
export class WriteObserver {
  readonly #otherProblem: () => string | null;
  readonly #failedCounts: Record<WriteKind, number> = { usage: 0, change: 0 };
  #lastFailure: string | null = null;

  /** `otherProblem` tells what has to be known before a transaction fails of it. */
  constructor(otherProblem: () => string | null) {
    this.#otherProblem = otherProblem;
  }

  /** Transactions that the storage did not take, since the start. */
  get failedCounts(): Readonly<Record<WriteKind, number>> {
    return this.#failedCounts;
  }

  /** Why the store cannot be written, or soon cannot be; null if all is well. */
  problem(): string | null {
    return this.#otherProblem() ?? this.#lastFailure;
  }

  /** Runs a transaction and notes how it ends. */
  async observe<T>(kind: WriteKind, transaction: () => Promise<T>): Promise<T> {
    try {
      const result = await transaction();
      this.#lastFailure = null;
      return result;
    } catch (error) {
      const problem = storageProblem(error);
      if (problem !== null) {
        this.#failedCounts[kind]++;
        this.#lastFailure = problem;
      }
      throw error;
    }
  }
}

/** The tables of a store as they are committed, which change in transactions alone. */
export abstract class CommittedTables extends Tables {
  abstract readonly writes: WriteObserver;
  readonly #counted: CountedUsage | null;
  /** The transaction that the running code is a part of. */
  readonly #around = new AsyncLocalStorage<TransactionQueries>();

  constructor(queries: Queries, counted: CountedUsage | null) {
    super(queries, counted);
    this.#counted = counted;
  }

  /** See `ControlStore`. */
  async transaction<T>(work: (tx: Tables) => Promise<T>, kind: WriteKind = 'change'): Promise<T> {
    // A nested transaction would wait for itself.
    if (this.#around.getStore()?.isOver === false) {
      throw new Error('a transaction cannot begin inside another one');
    }
    const inside = (queries: TransactionQueries) =>
      this.#around.run(queries, () => work(new Tables(queries, this.#counted)));
    return this.writes.observe(kind, () => this.write(kind, inside));
  }

  /** Runs `work` in a transaction of the database. */
  protected abstract write<T>(
    kind: WriteKind,
    work: (queries: TransactionQueries) => Promise<T>,
  ): Promise<T>;
}
