/** Accounts: what keys, rules and limits belong to. */

import { ofEachQuantity, QUOTA_SPANS, type Quantity, type QuotaSpan } from './quantities.ts';
import { canStand, countOf, insertedId, type Queries, selected } from './queries.ts';

/** How much may be used of each quantity in a span; null: as much as one likes. */
export type QuotaAmounts = Readonly<Record<Quantity, number | null>>;
export type QuotaLimits = Readonly<Record<QuotaSpan, QuotaAmounts>>;

const UNLIMITED_SPAN: QuotaAmounts = ofEachQuantity(() => null);
export const UNLIMITED: QuotaLimits = { month: UNLIMITED_SPAN, minute: UNLIMITED_SPAN };

/**
 * Limits as stored, in JSON: a quantity that was not counted yet when they were set is not limited.
 */
export function storedLimits(text: string): QuotaLimits {
  const stored: Partial<QuotaLimits> = JSON.parse(text);
  return {
    month: { ...UNLIMITED.month, ...stored.month },
    minute: { ...UNLIMITED.minute, ...stored.minute },
  };
}

/** Terms of an account's own; null where its offer decides. */
export interface OwnTerms {
  readonly limits: QuotaLimits;
  readonly contractEndsAtMs: number | null;
}

/** Terms that an account takes over from its offer. */
export interface OfferTerms {
  readonly limits: QuotaLimits;
  /** The end of every contract under the offer; null: none in common. */
  readonly contractEndsAtMs: number | null;
  /**
   * Or how many days a contract lasts from when the account got the offer; null: it has no such
   * end.
   */
  readonly contractDays: number | null;
}

/** The offer that an account has. */
export interface HeldOffer {
  readonly offerId: number;
  /** When the account got it. */
  readonly givenAtMs: number;
}

export interface Account {
  readonly accountId: number;
  readonly name: string;
  /** May administer all accounts. */
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly maxActiveApiKeys: number;
  /** CIDR subnets that its requests may come from; empty: from anywhere. */
  readonly ipSubnets: readonly string[];
  /** In effect: its own, or else those of its offer. */
  readonly limits: QuotaLimits;
  /**
   * From this moment on its requests are refused: its own, or else its offer's; null: its contract
   * has no end.
   */
  readonly contractEndsAtMs: number | null;
  readonly own: OwnTerms;
  readonly offer: HeldOffer | null;
  readonly createdAtMs: number;
}

/** An account as a store keeps it. */
type KeptAccount = Omit<Account, keyof OwnTerms>;

const DAY_MS = 86_400_000;

function limitsUnder(own: QuotaLimits, offered: QuotaLimits): QuotaLimits {
  const [month, minute] = QUOTA_SPANS.map((span) =>
    ofEachQuantity((quantity) => own[span][quantity] ?? offered[span][quantity]),
  ) as [QuotaAmounts, QuotaAmounts];
  return { month, minute };
}

function contractEndUnder(terms: OfferTerms, { givenAtMs }: HeldOffer): number | null {
  const { contractEndsAtMs, contractDays } = terms;
  if (contractEndsAtMs !== null || contractDays === null) return contractEndsAtMs;
  return givenAtMs + contractDays * DAY_MS;
}

/** The account with what holds for it under the terms of its offer. */
export function accountUnder(kept: KeptAccount, terms: OfferTerms | null): Account {
  const { own, offer } = kept;
  if (terms === null || offer === null) return { ...kept, ...own };
  return {
    ...kept,
    limits: limitsUnder(own.limits, terms.limits),
    contractEndsAtMs: own.contractEndsAtMs ?? contractEndUnder(terms, offer),
  };
}

/** Terms are its own. Its contract has no end unless one is given, and it has no offer. */
export type NewAccount = Omit<
  Account,
  'accountId' | 'isActive' | 'contractEndsAtMs' | 'own' | 'offer'
> &
  Partial<Pick<Account, 'contractEndsAtMs' | 'offer'>>;

/** Terms are its own. */
export type AccountChanges = Partial<Omit<Account, 'accountId' | 'createdAtMs' | 'own'>>;

export interface AccountFilter {
  /** Only those with the offer. */
  readonly offerId?: number | undefined;
  /** Only those whose name has it in it, in any case. */
  readonly nameText?: string | undefined;
}

/** Accounts, each with the terms of its offer. */
export const ACCOUNTS = `SELECT ${selected({
  accountId: 'identity_id',
  name: 'identity.name',
  isAdmin: 'is_admin',
  isActive: 'is_active',
  maxActiveApiKeys: 'max_active_api_keys',
  ipSubnets: 'ip_subnets',
  limits: 'identity.limits',
  contractEndsAtMs: 'identity.contract_ends_at',
  offerId: 'identity.offer_id',
  offerGivenAtMs: 'offer_given_at',
  offeredLimits: 'offer.limits',
  offeredContractEndsAtMs: 'offer.contract_ends_at',
  offeredContractDays: 'offer.contract_days',
  createdAtMs: 'identity.created_at',
})} FROM identity LEFT JOIN offer ON offer.offer_id = identity.offer_id`;

/** A row of `ACCOUNTS`. */
export interface AccountRow extends Omit<KeptAccount, 'own' | 'offer' | 'ipSubnets'> {
  readonly ipSubnets: string;
  readonly limits: string;
  readonly contractEndsAtMs: number | null;
  readonly offerId: number | null;
  readonly offerGivenAtMs: number | null;
  readonly offeredLimits: string | null;
  readonly offeredContractEndsAtMs: number | null;
  readonly offeredContractDays: number | null;
}

export function accountOf(row: AccountRow): Account {
  const { limits, contractEndsAtMs, offerId, offerGivenAtMs, ipSubnets, ...rest } = row;
  const { offeredLimits, offeredContractEndsAtMs, offeredContractDays, ...others } = rest;
  const kept = {
    ...others,
    ipSubnets: JSON.parse(ipSubnets),
    own: { limits: storedLimits(limits), contractEndsAtMs },
    offer: offerId === null ? null : { offerId, givenAtMs: offerGivenAtMs ?? 0 },
  };
  const terms =
    offeredLimits === null
      ? null
      : {
          limits: storedLimits(offeredLimits),
          contractEndsAtMs: offeredContractEndsAtMs,
          contractDays: offeredContractDays,
        };
  return accountUnder(kept, terms);
}

export class AccountReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async find(accountId: number): Promise<Account | null> {
    const sql = `${ACCOUNTS} WHERE identity_id = $1`;
    const row = await this.queries.get<AccountRow>(sql, accountId);
    return row ? accountOf(row) : null;
  }

  async findByName(name: string): Promise<Account | null> {
    if (!canStand(name)) return null;
    const row = await this.queries.get<AccountRow>(`${ACCOUNTS} WHERE identity.name = $1`, name);
    return row ? accountOf(row) : null;
  }

  /** Up to `limit` accounts after an id, in the order of their ids. */
  async list(afterId: number, limit: number, filter: AccountFilter = {}): Promise<Account[]> {
    const { offerId = null, nameText = '' } = filter;
    const rows = await this.queries.all<AccountRow>(
      `${ACCOUNTS} WHERE identity_id > $1 AND ($2::bigint IS NULL OR identity.offer_id = $2)
       AND strpos(lower(identity.name COLLATE "default"), lower($4)) > 0
       ORDER BY identity_id LIMIT $3`,
      afterId,
      offerId,
      limit,
      nameText,
    );
    return rows.map(accountOf);
  }

  /** Accounts that may administer and are not deactivated. */
  countActiveAdmins(): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM identity WHERE is_admin AND is_active';
    return countOf(this.queries, sql);
  }
}

export class AccountTable extends AccountReader {
  /** Returns the id. */
  create(account: NewAccount): Promise<number> {
    return insertedId(
      this.queries,
      `INSERT INTO identity (name, is_admin, max_active_api_keys, ip_subnets, limits,
         contract_ends_at, offer_id, offer_given_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING identity_id AS id`,
      account.name,
      account.isAdmin,
      account.maxActiveApiKeys,
      JSON.stringify(account.ipSubnets),
      JSON.stringify(account.limits),
      account.contractEndsAtMs ?? null,
      account.offer?.offerId ?? null,
      account.offer?.givenAtMs ?? null,
      account.createdAtMs,
    );
  }

  async update(accountId: number, changes: AccountChanges): Promise<void> {
    const current = await this.find(accountId);
    if (!current) throw new Error(`no identity ${accountId}`);
    const next = { ...current, ...current.own, ...changes };
    await this.queries.run(
      `UPDATE identity SET name = $1, is_admin = $2, is_active = $3, max_active_api_keys = $4,
         ip_subnets = $5, limits = $6, contract_ends_at = $7, offer_id = $8, offer_given_at = $9
       WHERE identity_id = $10`,
      next.name,
      next.isAdmin,
      next.isActive,
      next.maxActiveApiKeys,
      JSON.stringify(next.ipSubnets),
      JSON.stringify(next.limits),
      next.contractEndsAtMs,
      next.offer?.offerId ?? null,
      next.offer?.givenAtMs ?? null,
      accountId,
    );
  }
}
