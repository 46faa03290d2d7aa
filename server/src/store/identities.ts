/** Identities: the accounts that keys, rules and limits belong to. */
import { ofEachQuantity, QUOTA_SPANS, type Quantity, type QuotaSpan } from './quantities.ts';

/** How much may be used of each quantity in a span; null: as much as one likes. */
export type QuotaAmounts = Readonly<Record<Quantity, number | null>>;
export type QuotaLimits = Readonly<Record<QuotaSpan, QuotaAmounts>>;

const UNLIMITED_SPAN: QuotaAmounts = ofEachQuantity(() => null);
export const UNLIMITED: QuotaLimits = { month: UNLIMITED_SPAN, minute: UNLIMITED_SPAN };

/** Whatever was stored before a quantity was counted does not limit it. */
export function limitsOf(stored: Partial<Record<QuotaSpan, Partial<QuotaAmounts>>>): QuotaLimits {
  return {
    month: { ...UNLIMITED.month, ...stored.month },
    minute: { ...UNLIMITED.minute, ...stored.minute },
  };
}

/** What holds for an account alone; null where its offer decides. */
export interface OwnTerms {
  readonly limits: QuotaLimits;
  readonly contractEndsAtMs: number | null;
}

/** What an account takes over from its offer. */
export interface OfferTerms {
  readonly limits: QuotaLimits;
  /** The end of every contract under the offer; null: none in common. */
  readonly contractEndsAtMs: number | null;
  /** Or how many days a contract lasts from when the account got the offer; null: it has no such end. */
  readonly contractDays: number | null;
}

/** The offer that an account has. */
export interface HeldOffer {
  readonly offerId: number;
  /** When the account got it. */
  readonly givenAtMs: number;
}

export interface Identity {
  readonly identityId: number;
  readonly name: string;
  /** May administer all identities. */
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly maxActiveApiKeys: number;
  /** CIDR subnets that its requests may come from; empty: from anywhere. */
  readonly ipSubnets: readonly string[];
  /** Those that hold: its own, or else those of its offer. */
  readonly limits: QuotaLimits;
  /** From this moment on its requests are refused: its own, or else its offer's; null: its contract has no end. */
  readonly contractEndsAtMs: number | null;
  readonly own: OwnTerms;
  readonly offer: HeldOffer | null;
  readonly createdAtMs: number;
}

/** An account as a store keeps it. */
export type KeptIdentity = Omit<Identity, keyof OwnTerms>;

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
export function identityUnder(kept: KeptIdentity, terms: OfferTerms | null): Identity {
  const { own, offer } = kept;
  if (terms === null || offer === null) return { ...kept, ...own };
  return {
    ...kept,
    limits: limitsUnder(own.limits, terms.limits),
    contractEndsAtMs: own.contractEndsAtMs ?? contractEndUnder(terms, offer),
  };
}

/** Terms are its own. Its contract has no end unless one is given, and it has no offer. */
export type NewIdentity = Omit<
  Identity,
  'identityId' | 'isActive' | 'contractEndsAtMs' | 'own' | 'offer'
> &
  Partial<Pick<Identity, 'contractEndsAtMs' | 'offer'>>;

/** Terms are its own. */
export type IdentityChanges = Partial<Omit<Identity, 'identityId' | 'createdAtMs' | 'own'>>;

export interface IdentityFilter {
  /** Only those with the offer. */
  readonly offerId?: number | undefined;
  /** Only those whose name has it in it, in any case. */
  readonly nameText?: string | undefined;
}

export interface IdentityReader {
  find(identityId: number): Promise<Identity | null>;
  findByName(name: string): Promise<Identity | null>;
  /** Up to `limit` identities after an id, in the order of their ids. */
  list(afterId: number, limit: number, filter?: IdentityFilter): Promise<Identity[]>;
  /** Identities that may administer and are not deactivated. */
  countActiveAdmins(): Promise<number>;
}

export interface IdentityTable extends IdentityReader {
  /** Returns the id. */
  create(identity: NewIdentity): Promise<number>;
  update(identityId: number, changes: IdentityChanges): Promise<void>;
}
