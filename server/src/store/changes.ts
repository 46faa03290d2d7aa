/**
 * Reads the log of changes. Triggers write whom a change concerns, whichever process makes it; a
 * subject has one row, of its newest change.
 */
import { RULES } from './access-rules.ts';
import { ACCOUNTS } from './accounts.ts';
import { HASHED_KEYS } from './api-keys.ts';
import { OFFERS } from './offers.ts';
import { PEOPLE } from './people.ts';
import type { Queries, Row } from './queries.ts';
import type { Records } from './records.ts';
import type { AccountRecords, OfferRecords, PersonRecords, StoreChanges } from './replica.ts';
import { SESSIONS } from './sessions.ts';

/** The position of the last change. */
export const POSITION = 'SELECT coalesce((SELECT max(change_id) FROM change_log), 0) AS position';
const CHANGED = 'SELECT subject_id AS id FROM change_log WHERE subject = $1 AND change_id > $2';

/** The subjects to read; null: all. */
type Ids = readonly number[] | null;

/** Records of subjects, whose ids are in `column`, in the order of their keys. */
async function recordsOf<R, S>(
  queries: Queries,
  records: Records<R, S>,
  column: string,
  ids: Ids,
): Promise<R[]> {
  if (ids?.length === 0) return [];
  const condition = ids === null ? '' : `WHERE ${column} = ANY ($1)`;
  const sql = `${records.select} ${condition} ORDER BY ${records.key}`;
  const rows = await queries.all<Row>(sql, ...(ids === null ? [] : [ids]));
  return rows.map((row) => records.of(row));
}

async function accountsOf(queries: Queries, ids: Ids): Promise<AccountRecords[]> {
  const accounts = await recordsOf(queries, ACCOUNTS, 'identity_id', ids);
  const keys = await recordsOf(queries, HASHED_KEYS, 'identity_id', ids);
  const rules = await recordsOf(queries, RULES, 'identity_id', ids);
  const keysOf = Map.groupBy(keys, ({ key }) => key.accountId);
  const rulesOf = Map.groupBy(rules, ({ accountId }) => accountId);
  return accounts.map((account) => ({
    account,
    keys: keysOf.get(account.accountId) ?? [],
    rules: rulesOf.get(account.accountId) ?? [],
  }));
}

async function offersOf(queries: Queries, ids: Ids): Promise<OfferRecords[]> {
  const offers = await recordsOf(queries, OFFERS, 'offer_id', ids);
  const rules = await recordsOf(queries, RULES, 'offer_id', ids);
  const rulesOf = Map.groupBy(rules, ({ offerId }) => offerId);
  return offers.map((offer) => ({ offer, rules: rulesOf.get(offer.offerId) ?? [] }));
}

async function peopleOf(queries: Queries, ids: Ids): Promise<PersonRecords[]> {
  const people = await recordsOf(queries, PEOPLE, 'person_id', ids);
  const sessions = await recordsOf(queries, SESSIONS, 'person_id', ids);
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
