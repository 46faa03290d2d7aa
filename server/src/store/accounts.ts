/** Accounts: what keys, rules and limits belong to. */

import { ofEachQuantity, QUOTA_SPANS, type Quantity, type QuotaSpan } from './quantities.ts';
import { canStand } from './queries.ts';
import { RecordReader, Records } from './records.ts';

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

/** The columns of an account, and the terms of its offer. */
interface KeptFields extends Omit<KeptAccount, 'offer' | 'own'>, OwnTerms {
  readonly offerId: number | null;
  readonly offerGivenAtMs: number | null;
  /** Null: it has no offer. */
  readonly offeredLimits: QuotaLimits | null;
  readonly offeredContractEndsAtMs: number | null;
  readonly offeredContractDays: number | null;
}

function accountOf(fields: KeptFields): Account {
  const { limits, contractEndsAtMs, offerId, offerGivenAtMs, ...rest } = fields;
  const { offeredLimits, offeredContractEndsAtMs, offeredContractDays, ...others } = rest;
  const kept = {
    ...others,
    own: { limits, contractEndsAtMs },
    offer: offerId === null ? null : { offerId, givenAtMs: offerGivenAtMs ?? 0 },
  };
  const terms = offeredLimits && {
    limits: offeredLimits,
    contractEndsAtMs: offeredContractEndsAtMs,
    contractDays: offeredContractDays,
  };
  return accountUnder(kept, terms);
}

export const ACCOUNTS = new Records<Account, KeptFields>({
  table: 'identity',
  from: `identity LEFT JOIN (SELECT offer_id AS held_id, limits AS offered_limits,
      contract_ends_at AS offered_end, contract_days AS offered_days FROM offer) AS held
    ON held_id = offer_id`,
  fields: {
    offered_limits: 'offeredLimits',
    offered_end: 'offeredContractEndsAtMs',
    offered_days: 'offeredContractDays',
  },
  json: { ipSubnets: JSON.parse, limits: storedLimits, offeredLimits: storedLimits },
  made: accountOf,
});

/** The columns of what is given of an account. */
function fieldsOf({ offer, ...fields }: AccountChanges): Partial<KeptFields> {
  if (offer === undefined) return fields;
  return { ...fields, offerId: offer?.offerId ?? null, offerGivenAtMs: offer?.givenAtMs ?? null };
}

export class AccountReader extends RecordReader<Account, KeptFields> {
  protected readonly records = ACCOUNTS;

  async findByName(name: string): Promise<Account | null> {
    return canStand(name) ? this.first('WHERE name = $1', name) : null;
  }

  /** Up to `limit` accounts after an id, in the order of their ids. */
  list(afterId: number, limit: number, filter: AccountFilter = {}): Promise<Account[]> {
    const { offerId = null, nameText = '' } = filter;
    return this.all(
      `WHERE identity_id > $1 AND ($2::bigint IS NULL OR offer_id = $2)
       AND strpos(lower(name COLLATE "default"), lower($4)) > 0 ORDER BY identity_id LIMIT $3`,
      ...[afterId, offerId, limit, nameText],
    );
  }

  /** Accounts that may administer and are not deactivated. */
  countActiveAdmins(): Promise<number> {
    return this.count('is_admin AND is_active');
  }
}

export class AccountTable extends AccountReader {
  /** Returns the id. */
  create(account: NewAccount): Promise<number> {
    return this.insert({ ...fieldsOf(account), createdAtMs: account.createdAtMs });
  }

  update(accountId: number, changes: AccountChanges): Promise<void> {
    return this.change(accountId, fieldsOf(changes));
  }
}
