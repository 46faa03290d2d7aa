/**
 * Reads the log of changes. Triggers write whom a change concerns, whichever process makes it; a
 * subject has one row, of its newest change.
 */
import { RULES, type RuleRow, ruleOf } from './access-rules.ts';
import { ACCOUNTS, type AccountRow, accountOf } from './accounts.ts';
import { type ApiKey, KEY_COLUMNS } from './api-keys.ts';
import { OFFERS, type OfferRow, offerOf } from './offers.ts';
import { PEOPLE, type Person } from './people.ts';
import type { Queries } from './queries.ts';
import type { AccountRecords, OfferRecords, PersonRecords, StoreChanges } from './replica.ts';
import { SESSIONS, type Session } from './sessions.ts';

/** The position of the last change. */
export const POSITION = 'SELECT coalesce((SELECT max(change_id) FROM change_log), 0) AS position';
const CHANGED = 'SELECT subject_id AS id FROM change_log WHERE subject = $1 AND change_id > $2';
const KEYS = `SELECT key_hash AS hash, ${KEY_COLUMNS} FROM api_key`;

/** The subjects to read; null: all. */
type Ids = readonly number[] | null;

/** Rows of subjects, in an order. */
async function rowsOf<R>(
  queries: Queries,
  select: string,
  column: string,
  ids: Ids,
  order = column,
): Promise<R[]> {
  if (ids === null) return queries.all(`${select} ORDER BY ${order}`);
  if (ids.length === 0) return [];
  return queries.all(`${select} WHERE ${column} = ANY ($1) ORDER BY ${order}`, ids);
}

async function accountsOf(queries: Queries, ids: Ids): Promise<AccountRecords[]> {
  type KeyRow = ApiKey & { readonly hash: string };
  const accounts = await rowsOf<AccountRow>(queries, ACCOUNTS, 'identity_id', ids);
  const keys = await rowsOf<KeyRow>(queries, KEYS, 'identity_id', ids, 'key_id');
  const rules = await rowsOf<RuleRow>(queries, RULES, 'identity_id', ids);
  const keysOf = Map.groupBy(keys, ({ accountId }) => accountId);
  const rulesOf = Map.groupBy(rules.map(ruleOf), ({ accountId }) => accountId);
  return accounts.map((row) => ({
    account: accountOf(row),
    keys: (keysOf.get(row.accountId) ?? []).map(({ hash, ...key }) => ({ hash, key })),
    rules: rulesOf.get(row.accountId) ?? [],
  }));
}

async function offersOf(queries: Queries, ids: Ids): Promise<OfferRecords[]> {
  const offers = await rowsOf<OfferRow>(queries, OFFERS, 'offer_id', ids);
  const rules = await rowsOf<RuleRow>(queries, RULES, 'offer_id', ids);
  const rulesOf = Map.groupBy(rules.map(ruleOf), ({ offerId }) => offerId);
  return offers.map((row) => ({ offer: offerOf(row), rules: rulesOf.get(row.offerId) ?? [] }));
}

async function peopleOf(queries: Queries, ids: Ids): Promise<PersonRecords[]> {
  const people = await rowsOf<Person>(queries, PEOPLE, 'person_id', ids);
  const sessions = await rowsOf<Session>(queries, SESSIONS, 'person_id', ids);
  const sessionsOf = Map.groupBy(sessions, ({ personId }) => personId);
  return people.map((person) => ({ person, sessions: sessionsOf.get(person.personId) ?? [] }));
}

/** Null for each that is asked for and was not found. */
function byId<T>(ids: Ids, found: readonly T[], idOf: (each: T) => number): Map<number, T | null> {
  const none = (ids ?? []).map((id): [number, T | null] => [id, null]);
  return new Map([...none, ...found.map((each): [number, T | null] => [idOf(each), each])]);
}

export async function positionOf(queries: Pick<Queries, 'get'>): Promise<number> {
  return (await queries.get<{ position: number }>(POSITION))?.position ?? 0;
}

async function changedIds(queries: Queries, subject: string, position: number | null) {
  if (position === null) return null;
  const rows = await queries.all<{ id: number }>(CHANGED, subject, position);
  return rows.map(({ id }) => id);
}

/** The changes after a position, all records if it is null. `queries` see one moment. */
export async function changesSince(queries: Queries, from: number | null): Promise<StoreChanges> {
  const position = await positionOf(queries);
  const offers = await changedIds(queries, 'offer', from);
  const accounts = await changedIds(queries, 'identity', from);
  const people = await changedIds(queries, 'person', from);
  const found = {
    offers: await offersOf(queries, offers),
    accounts: await accountsOf(queries, accounts),
    people: await peopleOf(queries, people),
  };
  return {
    position,
    isWhole: from === null,
    offers: byId(offers, found.offers, ({ offer }) => offer.offerId),
    accounts: byId(accounts, found.accounts, ({ account }) => account.accountId),
    people: byId(people, found.people, ({ person }) => person.personId),
  };
}
