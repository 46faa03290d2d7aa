/** The tables of a store, over a connection or a transaction. */
import type { StoreTransaction } from '../control-store.ts';
import type { Credential } from '../credentials.ts';
import type { SessionHolder } from '../sessions.ts';
import { PostgresAccessRequests } from './access-requests.ts';
import { PostgresAccessRules } from './access-rules.ts';
import { PostgresApiKeys } from './api-keys.ts';
import { PostgresAuditLog } from './audit-log.ts';
import { PostgresIdentities } from './identities.ts';
import { PostgresOffers } from './offers.ts';
import { PostgresPeople } from './people.ts';
import { PostgresPersonLinks } from './person-links.ts';
import type { Queries } from './queries.ts';
import { PostgresSecondFactors } from './second-factors.ts';
import { PostgresSessions } from './sessions.ts';
import { PostgresSignInPlaces } from './sign-in-places.ts';
import { PostgresUsage } from './usage.ts';

export class Tables implements StoreTransaction {
  readonly offers: PostgresOffers;
  readonly identities: PostgresIdentities;
  readonly keys: PostgresApiKeys;
  readonly rules: PostgresAccessRules;
  readonly accessRequests: PostgresAccessRequests;
  readonly people: PostgresPeople;
  readonly personLinks: PostgresPersonLinks;
  readonly sessions: PostgresSessions;
  readonly secondFactors: PostgresSecondFactors;
  readonly signInPlaces: PostgresSignInPlaces;
  readonly audit: PostgresAuditLog;
  readonly usage: PostgresUsage;

  /** `serverId`: who has reserved what is counted, see `shared-usage.ts`. */
  constructor(queries: Queries, serverId: string) {
    this.offers = new PostgresOffers(queries);
    this.identities = new PostgresIdentities(queries);
    this.keys = new PostgresApiKeys(queries);
    this.rules = new PostgresAccessRules(queries);
    this.accessRequests = new PostgresAccessRequests(queries);
    this.people = new PostgresPeople(queries);
    this.personLinks = new PostgresPersonLinks(queries);
    this.sessions = new PostgresSessions(queries);
    this.secondFactors = new PostgresSecondFactors(queries);
    this.signInPlaces = new PostgresSignInPlaces(queries);
    this.audit = new PostgresAuditLog(queries);
    this.usage = new PostgresUsage(queries, serverId);
  }

  async findCredential(hash: string): Promise<Credential | null> {
    const key = await this.keys.findByHash(hash);
    const identity = key && (await this.identities.find(key.identityId));
    return identity && { key, identity };
  }

  async findSession(tokenHash: string): Promise<SessionHolder | null> {
    const session = await this.sessions.find(tokenHash);
    const person = session && (await this.people.find(session.personId));
    if (!person) return null;
    const { identityId } = person;
    const identity = identityId === null ? null : await this.identities.find(identityId);
    return { session, person, identity };
  }
}
