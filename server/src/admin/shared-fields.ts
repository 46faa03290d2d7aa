/** Fields that several operations take, and the pages of long lists. */
import { ApiError } from '../base/errors.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { Account } from '../store/accounts.ts';
import type { ApiKey } from '../store/api-keys.ts';
import type { StoreReader } from '../store/control-store.ts';
import type { Offer } from '../store/offers.ts';
import type { Person } from '../store/people.ts';
import { optional, required } from './field.ts';
import { COUNT, ID, pageLimit } from './field-kinds.ts';

/** Throws an ApiError 'conflict' so that nobody is locked out of the administration by a date. */
export function requireNoAdminTerms({
  isAdmin,
  contractEndsAtMs,
  offer,
}: Pick<Account, 'isAdmin' | 'contractEndsAtMs' | 'offer'>): void {
  if (!isAdmin || (contractEndsAtMs === null && offer === null)) return;
  throw new ApiError(
    'conflict',
    "An administrator's account can have neither a plan nor an end of contract",
  );
}

const PAGE_ROWS = 100;
const PAGE_ROWS_MAX = 1000;

export const ACCOUNT_ID = required(ID, 'Id of the account', '--identity ID');

export const KEY_ID = required(ID, 'Id of the API key', '--key ID');

export const RULE_ID = required(ID, 'Id of the access rule', '--rule ID');

export const OFFER_ID = required(ID, 'Id of the plan', '--plan ID');

export const PERSON_ID = required(ID, 'Id of the person', '--user ID');

export const PAGE_FIELDS = {
  after: optional(COUNT, 'Show rows after this id; the previous page gives it', '--after ID'),
  limit: optional(
    pageLimit(PAGE_ROWS_MAX),
    `Maximum number of rows; default: ${PAGE_ROWS}`,
    '--limit N',
  ),
};

interface PageRequest {
  readonly after: number | undefined;
  readonly limit: number | undefined;
}

/** A page of rows in the order of their ids; `list` gives up to so many behind an id. */
export async function page<Row, View>(
  { after = 0, limit = PAGE_ROWS }: PageRequest,
  list: (after: number, limit: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => number,
  view: (row: Row) => View,
) {
  const rows = await list(after, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextAfter = rows.length > limit && last !== undefined ? idOf(last) : null;
  return { data: shown.map(view), pagination: { after, limit, next_after: nextAfter } };
}

function existing<T>(found: T | null, what: string): T {
  if (found !== null) return found;
  throw new ApiError('not found', `The ${what} with the specified id is not found`);
}

export async function existingAccount(store: StoreReader, accountId: number): Promise<Account> {
  return existing(await store.accounts.find(accountId), 'account');
}

/** The name of a plan. */
export async function existingOffer(store: StoreReader, offerId: number): Promise<Offer> {
  return existing(await store.offers.find(offerId), 'plan');
}

export async function existingKey(store: StoreReader, keyId: number): Promise<ApiKey> {
  return existing(await store.keys.find(keyId), 'API key');
}

/** One of another account is not found either. */
export async function existingKeyOf(
  store: StoreReader,
  accountId: number,
  keyId: number,
): Promise<ApiKey> {
  const key = await store.keys.find(keyId);
  return existing(key?.accountId === accountId ? key : null, 'API key');
}

export async function existingRule(store: StoreReader, ruleId: number): Promise<AccessRule> {
  return existing(await store.rules.find(ruleId), 'access rule');
}

export async function existingPerson(store: StoreReader, personId: number): Promise<Person> {
  return existing(await store.people.find(personId), 'person');
}

/** One of another account is not found either. */
export async function existingPersonOf(
  store: StoreReader,
  accountId: number,
  personId: number,
): Promise<Person> {
  const person = await store.people.find(personId);
  return existing(person?.accountId === accountId ? person : null, 'person');
}
