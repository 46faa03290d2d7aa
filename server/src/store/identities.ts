/** Identities: the accounts that keys, rules and limits belong to. */
import { ofEachQuantity, type Quantity, type QuotaSpan } from './quantities.ts';

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

export interface Identity {
  readonly identityId: number;
  readonly name: string;
  /** May administer all identities. */
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly maxActiveApiKeys: number;
  /** CIDR subnets that its requests may come from; empty: from anywhere. */
  readonly ipSubnets: readonly string[];
  readonly limits: QuotaLimits;
  /** From this moment on its requests are refused; null: its contract has no end. */
  readonly contractEndsAtMs: number | null;
  readonly createdAtMs: number;
}

/** Its contract has no end unless one is given. */
export type NewIdentity = Omit<Identity, 'identityId' | 'isActive' | 'contractEndsAtMs'> &
  Partial<Pick<Identity, 'contractEndsAtMs'>>;
export type IdentityChanges = Partial<Omit<Identity, 'identityId' | 'createdAtMs'>>;

export interface IdentityReader {
  find(identityId: number): Promise<Identity | null>;
  findByName(name: string): Promise<Identity | null>;
  /** Up to `limit` identities after an id, in the order of their ids. */
  list(afterId: number, limit: number): Promise<Identity[]>;
  /** Identities that may administer and are not deactivated. */
  countActiveAdmins(): Promise<number>;
}

export interface IdentityTable extends IdentityReader {
  /** Returns the id. */
  create(identity: NewIdentity): Promise<number>;
  update(identityId: number, changes: IdentityChanges): Promise<void>;
}
