/**
 * Reads the log of changes. Triggers write whom a change concerns, whichever process makes it; a
 * subject has one row, of its newest change.
 */
import type { AccessRule } from '../access-rules.ts';
import type { ApiKey } from '../api-keys.ts';
import type { Offer } from '../offers.ts';
import type { Person } from '../people.ts';
import type { AccountRecords, OfferRecords, PersonRecords, StoreChanges } from '../replica.ts';
import type { Session } from '../sessions.ts';
import { RULES } from './access-rules.ts';
import { KEY_COLUMNS } from './api-keys.ts';
import type { PostgresDatabase } from './database.ts';
import { IDENTITIES, type IdentityRow, identityOf } from './identities.ts';
import { OFFERS, offerOf } from './offers.ts';
import { PEOPLE } from './people.ts';
import type { PostgresSession } from './postgres-session.ts';
import type { Queries } from './queries.ts';
import { SESSIONS } from './sessions.ts';

const POSITION =
  'SELECT coalesce((SELECT max(change_id) FROM ticklake.change_log), 0)::bigint AS position';
const CHANGED =
  'SELECT subject_id AS id FROM ticklake.change_log WHERE subject = $1 AND change_id > $2';
const KEYS = `SELECT encode(key_hash, 'hex') AS hash, ${KEY_COLUMNS} FROM ticklake.api_key`;

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
  return queries.all(`${select} WHERE ${column} = ANY ($1::bigint[]) ORDER BY ${order}`, ids);
}

async function accountsOf(queries: Queries, ids: Ids): Promise<AccountRecords[]> {
  type KeyRow = ApiKey & { readonly hash: string };
  const identities = await rowsOf<IdentityRow>(queries, IDENTITIES, 'identity_id', ids);
  const keys = await rowsOf<KeyRow>(queries, KEYS, 'identity_id', ids, 'key_id');
  const rules = await rowsOf<AccessRule>(queries, RULES, 'identity_id', ids);
  const keysOf = Map.groupBy(keys, ({ identityId }) => identityId);
  const rulesOf = Map.groupBy(rules, ({ identityId }) => identityId);
  return identities.map((row) => ({
    identity: identityOf(row),
    keys: (keysOf.get(row.identityId) ?? []).map(({ hash, ...key }) => ({ hash, key })),
    rules: rulesOf.get(row.identityId) ?? [],
  }));
}

async function offersOf(queries: Queries, ids: Ids): Promise<OfferRecords[]> {
  const offers = await rowsOf<Offer>(queries, OFFERS, 'offer_id', ids);
  const rules = await rowsOf<AccessRule>(queries, RULES, 'offer_id', ids);
  const rulesOf = Map.groupBy(rules, ({ offerId }) => offerId);
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

async function positionOf(queries: Queries): Promise<number> {
  return (await queries.get<{ position: number }>(POSITION))?.position ?? 0;
}

async function changedIds(queries: Queries, subject: string, position: number | null) {
  if (position === null) return null;
  const rows = await queries.all<{ id: number }>(CHANGED, subject, position);
  return rows.map(({ id }) => id);
}

export class ChangeLog {
  readonly #database: PostgresDatabase;
  /** Asked before every request: a connection of its own need not be waited for. */
  readonly #session: PostgresSession;
  #connectionCount = 0;

  constructor(database: PostgresDatabase, session: PostgresSession) {
    this.#database = database;
    this.#session = session;
  }

  /** The changes after a position, read at one moment; all records if it is null. Null: nothing changed. */
  async changesSince(position: number | null): Promise<StoreChanges | null> {
    const now = await positionOf(this.#session);
    // Another connection may lead to another server, which took over and may lack the last changes.
    const { connectionCount } = this.#session;
    const from = connectionCount === this.#connectionCount ? position : null;
    if (from === now) return null;
    const changes = await this.#database.reading((queries) => this.#read(queries, from));
    this.#connectionCount = connectionCount;
    return changes;
  }

  async #read(queries: Queries, from: number | null): Promise<StoreChanges> {
    const position = await positionOf(queries);
    const offers = await changedIds(queries, 'offer', from);
    const accounts = await changedIds(queries, 'identity', from);
    const people = await changedIds(queries, 'person', from);
    return {
      position,
      isWhole: from === null,
      offers: byId(offers, await offersOf(queries, offers), ({ offer }) => offer.offerId),
      accounts: byId(
        accounts,
        await accountsOf(queries, accounts),
        ({ identity }) => identity.identityId,
      ),
      people: byId(people, await peopleOf(queries, people), ({ person }) => person.personId),
    };
  }
}
