/**
 * Views of the store's records for administrators and accounts, with the names and times of the
 * interface.
 */
import { accountStatus } from '../access/account-status.ts';
import { keyStatus } from '../access/api-key.ts';
import { sessionIdOf } from '../access/session.ts';
import { isoSeconds } from '../base/clock.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { Answer } from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import type { AccessRequest } from '../store/access-requests.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Account, QuotaLimits } from '../store/accounts.ts';
import type { ApiKey } from '../store/api-keys.ts';
import type { Enquiry } from '../store/enquiries.ts';
import type { Offer } from '../store/offers.ts';
import type { Person } from '../store/people.ts';
import {
  QUANTITIES,
  QUANTITY_NAMES,
  type Quantity,
  type QuantityField,
} from '../store/quantities.ts';
import type { Session } from '../store/sessions.ts';
import {
  ACCESS_REQUEST,
  ADMINISTERED_ACCOUNT,
  ADMINISTERED_API_KEY,
  ADMINISTERED_RULE,
  API_KEY,
  ENQUIRY,
  OFFER,
  PERSON,
  PERSON_SESSION,
} from './answers.ts';

export function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoSeconds(epochMs);
}

/** The field of a record that the interface has under another name. */
type FieldOf<Name extends string> = Name extends 'identity_id'
  ? 'accountId'
  : Name extends 'plan_id'
    ? 'offerId'
    : Camel<Name>;
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type TimeName = `${string}_at`;

type Shown = Schema & { readonly entries: Readonly<Record<string, Schema>> };
/** Times are epoch milliseconds, with `Ms` at the end of their names, or texts. */
type RecordOf<A> = {
  readonly [Name in Exclude<keyof A & string, TimeName> as FieldOf<Name>]: A[Name];
} & {
  readonly [Name in keyof A & TimeName as Camel<Name>]?: A[Name];
} & {
  readonly [Name in keyof A & TimeName as `${Camel<Name>}Ms`]?: Exclude<A[Name], string> | number;
};

const FIELDS: Readonly<Record<string, string>> = { identity_id: 'accountId', plan_id: 'offerId' };

function shownValue(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const atMs = name.endsWith('_at') ? fields[`${camel}Ms`] : undefined;
  return atMs === undefined ? fields[FIELDS[name] ?? camel] : timeOrNull(atMs as number | null);
}

/** Shows of a record what the schema names, and nothing else. */
export function viewOf<S extends Shown>({ entries }: S, record: RecordOf<Answer<S>>): Answer<S> {
  const shown = Object.keys(entries).map((name) => [name, shownValue(record, name)]);
  return Object.fromEntries(shown) as Answer<S>;
}

export function accountView(account: Account, nowMs: number) {
  return viewOf(ADMINISTERED_ACCOUNT, {
    ...account,
    offerId: account.offer?.offerId ?? null,
    ownContractEndsAtMs: account.own.contractEndsAtMs,
    status: accountStatus(account, nowMs),
  });
}

/** A key as its own account sees it. */
export function ownKeyView(key: ApiKey, nowMs: number) {
  return viewOf(API_KEY, { ...key, status: keyStatus(key, nowMs) });
}

export function keyView(key: ApiKey, nowMs: number) {
  return viewOf(ADMINISTERED_API_KEY, { ...key, status: keyStatus(key, nowMs) });
}

export function personView(person: Person) {
  return viewOf(PERSON, person);
}

/** Names are null where the catalogue no longer has the dataset. */
export function ruleView(rule: AccessRule, catalog: Catalog) {
  const dataset = catalog.byId(rule.datasetId);
  return viewOf(ADMINISTERED_RULE, {
    ...rule,
    datasetName: dataset?.name ?? null,
    datasetTextId: dataset?.textId ?? null,
    datasetVersion: 'latest',
    universeIdentifiers: rule.universe,
    columns: rule.columns ?? null,
  });
}

export function accessRequestView(request: AccessRequest, catalog: Catalog) {
  const datasetName = catalog.byId(request.datasetId)?.name ?? null;
  return viewOf(ACCESS_REQUEST, { ...request, datasetName });
}

export function enquiryView(enquiry: Enquiry, catalog: Catalog) {
  const datasetName = catalog.byId(enquiry.datasetId ?? '')?.name ?? null;
  return viewOf(ENQUIRY, { ...enquiry, datasetName });
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
  return viewOf(OFFER, { ...offer, accountCount, quotasLimit: spansView(offer.limits) });
}

/** `currentHash`: of the token of the session that asks; null: of none. */
export function sessionView(session: Session, currentHash: string | null = null) {
  return viewOf(PERSON_SESSION, {
    ...session,
    sessionId: sessionIdOf(session),
    lastUsedAtMs: session.seenAtMs,
    sourceAddress: session.source,
    isCurrent: session.tokenHash === currentHash,
  });
}
