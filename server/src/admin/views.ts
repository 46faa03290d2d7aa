/**
 * Views of the store's records for administrators and accounts, with the names and times of the
 * interface.
 */
import { accountStatus } from '../access/account-status.ts';
import { keyStatus } from '../access/api-key.ts';
import { sessionIdOf } from '../access/session.ts';
import { isoSeconds } from '../base/clock.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Account, QuotaLimits } from '../store/accounts.ts';
import type { ApiKey } from '../store/api-keys.ts';
import type { Offer } from '../store/offers.ts';
import type { Person } from '../store/people.ts';
import {
  QUANTITIES,
  QUANTITY_NAMES,
  type Quantity,
  type QuantityField,
} from '../store/quantities.ts';
import type { Session } from '../store/sessions.ts';

export function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoSeconds(epochMs);
}

export function accountView(account: Account, nowMs: number) {
  return {
    identity_id: account.accountId,
    name: account.name,
    is_admin: account.isAdmin,
    is_active: account.isActive,
    max_active_api_keys: account.maxActiveApiKeys,
    ip_subnets: account.ipSubnets,
    plan_id: account.offer?.offerId ?? null,
    contract_ends_at: timeOrNull(account.contractEndsAtMs),
    own_contract_ends_at: timeOrNull(account.own.contractEndsAtMs),
    status: accountStatus(account, nowMs),
    created_at: isoSeconds(account.createdAtMs),
  };
}

/** A key as its own account sees it. */
export function ownKeyView(key: ApiKey, nowMs: number) {
  return {
    key_id: key.keyId,
    name: key.name,
    reference: key.reference,
    created_at: isoSeconds(key.createdAtMs),
    expires_at: isoSeconds(key.expiresAtMs),
    last_used_at: timeOrNull(key.lastUsedAtMs),
    is_active: key.isActive,
    status: keyStatus(key, nowMs),
  };
}

export function keyView(key: ApiKey, nowMs: number) {
  const { key_id, ...others } = ownKeyView(key, nowMs);
  return { key_id, identity_id: key.accountId, ...others };
}

export function personView(person: Person) {
  return {
    person_id: person.personId,
    email: person.email,
    role: person.role,
    identity_id: person.accountId,
    is_active: person.isActive,
    is_password_initial: person.isPasswordInitial,
    has_second_factor: person.hasSecondFactor,
    created_at: isoSeconds(person.createdAtMs),
    last_sign_in_at: timeOrNull(person.lastSignInAtMs),
  };
}

/** Names are null where the catalogue no longer has the dataset. */
export function ruleView(rule: AccessRule, catalog: Catalog) {
  const dataset = catalog.byId(rule.datasetId);
  return {
    rule_id: rule.ruleId,
    identity_id: rule.accountId,
    plan_id: rule.offerId,
    dataset_id: rule.datasetId,
    dataset_name: dataset?.name ?? null,
    dataset_text_id: dataset?.textId ?? null,
    dataset_version: 'latest',
    start_date: rule.startDate,
    end_date: rule.endDate,
    universe_identifiers: rule.universe,
  };
}

/** Limits, where null is none, or what was used. */
export function amountsView<T>(amounts: Readonly<Record<Quantity, T>>): Record<QuantityField, T> {
  const entries = QUANTITY_NAMES.map((quantity) => [QUANTITIES[quantity].field, amounts[quantity]]);
  return Object.fromEntries(entries);
}

function spansView({ month, minute }: QuotaLimits) {
  return { month: amountsView(month), minute: amountsView(minute) };
}

/** Limits of an account under its offer; null where it has none. */
export function limitsView({ accountId, own, limits }: Account, offer: Offer | null) {
  return {
    identity_id: accountId,
    quotas_limit: spansView(limits),
    own_quotas_limit: spansView(own.limits),
    plan_quotas_limit: offer && spansView(offer.limits),
  };
}

/** An offer as a plan. */
export function offerView(offer: Offer, accountCount: number) {
  return {
    plan_id: offer.offerId,
    name: offer.name,
    account_count: accountCount,
    quotas_limit: spansView(offer.limits),
    contract_ends_at: timeOrNull(offer.contractEndsAtMs),
    contract_days: offer.contractDays,
    created_at: isoSeconds(offer.createdAtMs),
  };
}

/** `currentHash`: of the token of the session that asks; null: of none. */
export function sessionView(session: Session, currentHash: string | null = null) {
  return {
    session_id: sessionIdOf(session),
    created_at: isoSeconds(session.createdAtMs),
    last_used_at: isoSeconds(session.seenAtMs),
    source_address: session.source,
    browser: session.browser,
    is_current: session.tokenHash === currentHash,
  };
}
