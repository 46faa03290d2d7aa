/**
 * Copies in memory of all that a request needs from the store: accounts with their keys, rules and
 * offers, people with their sessions. Looking up an unknown key takes as long as a known one, and
 * neither asks a store that may be far away.
 */
import { type AccessRule, inOrder } from './access-rules.ts';
import { type Account, accountUnder } from './accounts.ts';
import type { Credential, HashedApiKey } from './api-keys.ts';
import type { Offer } from './offers.ts';
import type { Person } from './people.ts';
import type { Session, SessionHolder } from './sessions.ts';

/** Reads of memory, as of the last time that the store was caught up with. */
export type Replica = Pick<
  ReplicaMemory,
  'findCredential' | 'findSession' | 'rulesOfDataset' | 'rulesOf'
>;

/** An offer with its rules, in any order. */
export interface OfferRecords {
  readonly offer: Offer;
  readonly rules: readonly AccessRule[];
}

/** An account with all that belongs to it. */
export interface AccountRecords {
  readonly account: Account;
  readonly keys: readonly HashedApiKey[];
  /** The account's own rules, in any order. */
  readonly rules: readonly AccessRule[];
}

export interface PersonRecords {
  readonly person: Person;
  readonly sessions: readonly Session[];
}

/**
 * A part of the log of changes: whom they concern, with all records as of its end; null: deleted.
 */
export interface StoreChanges {
  /**
   * Position of the last change in the log; each change has a greater one than all committed before
   * it.
   */
  readonly position: number;
  /** True if these are all records that there are, rather than those that changed. */
  readonly isWhole: boolean;
  readonly offers: ReadonlyMap<number, OfferRecords | null>;
  readonly accounts: ReadonlyMap<number, AccountRecords | null>;
  readonly people: ReadonlyMap<number, PersonRecords | null>;
}

/** An account with what holds for it. */
interface KnownAccount {
  readonly records: AccountRecords;
  readonly account: Account;
  /** The account's rules and those of its offer: by dataset, oldest window first. */
  readonly rules: readonly AccessRule[];
  readonly rulesByDataset: ReadonlyMap<string, readonly AccessRule[]>;
}

const NO_RULES: readonly AccessRule[] = [];

/** A replica that is brought up to date by the changes of a log. */
export class ReplicaMemory {
  #position: number | null = null;
  readonly #offers = new Map<number, OfferRecords>();
  readonly #accounts = new Map<number, KnownAccount>();
  readonly #credentials = new Map<string, Credential>();
  readonly #people = new Map<number, PersonRecords>();
  readonly #sessions = new Map<string, Session>();

  /** Position of the last known change; null: none is known. */
  get position(): number | null {
    return this.#position;
  }

  /** The key with a hash, and its account; whether they are active is not asked. */
  findCredential(hash: string): Credential | null {
    return this.#credentials.get(hash) ?? null;
  }

  findSession(tokenHash: string): SessionHolder | null {
    const session = this.#sessions.get(tokenHash);
    const person = session && this.#people.get(session.personId)?.person;
    if (!person) return null;
    const { accountId } = person;
    const known = accountId === null ? undefined : this.#accounts.get(accountId);
    return { session, person, account: known?.account ?? null };
  }

  /**
   * The rules that hold for an account and one dataset, its own and its offer's, oldest window
   * first.
   */
  rulesOfDataset(accountId: number, datasetId: string): readonly AccessRule[] {
    return this.#accounts.get(accountId)?.rulesByDataset.get(datasetId) ?? NO_RULES;
  }

  /** All of them: by dataset, oldest window first. */
  rulesOf(accountId: number): readonly AccessRule[] {
    return this.#accounts.get(accountId)?.rules ?? NO_RULES;
  }

  /** Takes over what has changed, all of it in one step. */
  apply({ position, isWhole, offers, accounts, people }: StoreChanges): void {
    if (isWhole) this.#clear();
    for (const [offerId, records] of offers) this.#setOffer(offerId, records);
    if (offers.size > 0 && !isWhole) this.#judgeAnew(offers);
    for (const [accountId, records] of accounts) this.#setAccount(accountId, records);
    for (const [personId, records] of people) this.#setPerson(personId, records);
    this.#position = position;
  }

  #clear(): void {
    for (const known of [
      this.#offers,
      this.#accounts,
      this.#credentials,
      this.#people,
      this.#sessions,
    ]) {
      known.clear();
    }
  }

  #setOffer(offerId: number, records: OfferRecords | null): void {
    if (records) this.#offers.set(offerId, records);
    else this.#offers.delete(offerId);
  }

  /** Applies changed offers to the accounts that have them. */
  #judgeAnew(offers: StoreChanges['offers']): void {
    // A copy, because setting one puts it behind the others.
    for (const [accountId, { records }] of [...this.#accounts]) {
      if (offers.has(records.account.offer?.offerId ?? 0)) this.#setAccount(accountId, records);
    }
  }

  #setAccount(accountId: number, records: AccountRecords | null): void {
    for (const { hash } of this.#accounts.get(accountId)?.records.keys ?? []) {
      this.#credentials.delete(hash);
    }
    this.#accounts.delete(accountId);
    if (!records) return;
    const offered = this.#offers.get(records.account.offer?.offerId ?? 0);
    const account = accountUnder(records.account, offered?.offer ?? null);
    const rules = inOrder([...records.rules, ...(offered?.rules ?? [])]);
    const rulesByDataset = Map.groupBy(rules, ({ datasetId }) => datasetId);
    this.#accounts.set(accountId, { records, account, rules, rulesByDataset });
    for (const { hash, key } of records.keys) this.#credentials.set(hash, { key, account });
  }

  #setPerson(personId: number, records: PersonRecords | null): void {
    for (const { tokenHash } of this.#people.get(personId)?.sessions ?? []) {
      this.#sessions.delete(tokenHash);
    }
    this.#people.delete(personId);
    if (!records) return;
    this.#people.set(personId, records);
    for (const session of records.sessions) this.#sessions.set(session.tokenHash, session);
  }
}
