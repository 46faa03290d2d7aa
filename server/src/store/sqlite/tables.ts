/** The tables of a store, over one source of statements. */

import type { StoreTransaction } from '../control-store.ts';
import type { Credential } from '../credentials.ts';
import type { SessionHolder } from '../sessions.ts';
import { SqliteAccessRequests } from './access-requests.ts';
import { SqliteAccessRules } from './access-rules.ts';
import { keyOf, SqliteApiKeys } from './api-keys.ts';
import { SqliteAuditLog } from './audit-log.ts';
import { SqliteIdentities } from './identities.ts';
import { SqliteOffers } from './offers.ts';
import { SqlitePeople } from './people.ts';
import { SqlitePersonLinks } from './person-links.ts';
import { SqliteSecondFactors } from './second-factors.ts';
import { SqliteSessions, sessionOf } from './sessions.ts';
import { SqliteSignInPlaces } from './sign-in-places.ts';
import type { StatementSource } from './statements.ts';
import { SqliteUsage } from './usage.ts';

export class Tables implements StoreTransaction {
  readonly offers: SqliteOffers;
  readonly identities: SqliteIdentities;
  readonly keys: SqliteApiKeys;
  readonly rules: SqliteAccessRules;
  readonly accessRequests: SqliteAccessRequests;
  readonly people: SqlitePeople;
  readonly personLinks: SqlitePersonLinks;
  readonly sessions: SqliteSessions;
  readonly secondFactors: SqliteSecondFactors;
  readonly signInPlaces: SqliteSignInPlaces;
  readonly audit: SqliteAuditLog;
  readonly usage: SqliteUsage;
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.offers = new SqliteOffers(statements);
    this.identities = new SqliteIdentities(statements);
    this.keys = new SqliteApiKeys(statements);
    this.rules = new SqliteAccessRules(statements);
    this.accessRequests = new SqliteAccessRequests(statements);
    this.people = new SqlitePeople(statements);
    this.personLinks = new SqlitePersonLinks(statements);
    this.sessions = new SqliteSessions(statements);
    this.secondFactors = new SqliteSecondFactors(statements);
    this.signInPlaces = new SqliteSignInPlaces(statements);
    this.audit = new SqliteAuditLog(statements);
    this.usage = new SqliteUsage(statements);
    this.#statements = statements;
  }

  async findCredential(hash: string): Promise<Credential | null> {
    const row = this.#statements
      .prepare('SELECT * FROM api_key WHERE key_hash = ?')
      .get(Buffer.from(hash, 'hex'));
    if (!row) return null;
    const key = keyOf(row);
    const identity = await this.identities.find(key.identityId);
    return identity && { key, identity };
  }

  async findSession(tokenHash: string): Promise<SessionHolder | null> {
    const row = this.#statements
      .prepare('SELECT * FROM session WHERE token_hash = ?')
      .get(Buffer.from(tokenHash, 'hex'));
    if (!row) return null;
    const session = sessionOf(row);
    const person = await this.people.find(session.personId);
    if (!person) return null;
    const { identityId } = person;
    const identity = identityId === null ? null : await this.identities.find(identityId);
    return { session, person, identity };
  }
}
