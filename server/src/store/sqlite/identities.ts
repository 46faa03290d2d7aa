/** The table of identities. */
import {
  type Identity,
  type IdentityChanges,
  type IdentityFilter,
  type IdentityTable,
  identityUnder,
  limitsOf,
  type NewIdentity,
} from '../identities.ts';
import { termsOf } from './offers.ts';
import type { Row, StatementSource } from './statements.ts';

/** Identities, each with the terms of its offer. */
export const IDENTITIES = `SELECT identity.*, offer.limits AS offered_limits,
    offer.contract_ends_at AS offered_contract_ends_at, offer.contract_days AS offered_contract_days
  FROM identity LEFT JOIN offer ON offer.offer_id = identity.offer_id`;

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}

/** Of a row of `IDENTITIES`. */
export function identityOf(row: Row): Identity {
  const offerId = numberOrNull(row.offer_id);
  const kept = {
    identityId: Number(row.identity_id),
    name: String(row.name),
    isAdmin: row.is_admin === 1,
    isActive: row.is_active === 1,
    maxActiveApiKeys: Number(row.max_active_api_keys),
    ipSubnets: JSON.parse(String(row.ip_subnets)),
    own: {
      limits: limitsOf(JSON.parse(String(row.limits))),
      contractEndsAtMs: numberOrNull(row.contract_ends_at),
    },
    offer: offerId === null ? null : { offerId, givenAtMs: Number(row.offer_given_at) },
    createdAtMs: Number(row.created_at),
  };
  return identityUnder(kept, offerId === null ? null : termsOf(row, 'offered_'));
}

export class SqliteIdentities implements IdentityTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async create(identity: NewIdentity): Promise<number> {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO identity (name, is_admin, max_active_api_keys, ip_subnets, limits,
           contract_ends_at, offer_id, offer_given_at, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        identity.name,
        Number(identity.isAdmin),
        identity.maxActiveApiKeys,
        JSON.stringify(identity.ipSubnets),
        JSON.stringify(identity.limits),
        identity.contractEndsAtMs ?? null,
        identity.offer?.offerId ?? null,
        identity.offer?.givenAtMs ?? null,
        identity.createdAtMs,
      );
    return Number(lastInsertRowid);
  }

  async find(identityId: number): Promise<Identity | null> {
    const row = this.#statements.prepare(`${IDENTITIES} WHERE identity_id = ?`).get(identityId);
    return row ? identityOf(row) : null;
  }

  async findByName(name: string): Promise<Identity | null> {
    const row = this.#statements.prepare(`${IDENTITIES} WHERE identity.name = ?`).get(name);
    return row ? identityOf(row) : null;
  }

  async list(afterId: number, limit: number, filter: IdentityFilter = {}): Promise<Identity[]> {
    const { offerId = null, nameText = '' } = filter;
    return this.#statements
      .prepare(
        `${IDENTITIES} WHERE identity_id > ? AND (? IS NULL OR identity.offer_id = ?)
         AND instr(lower(identity.name), lower(?)) > 0
         ORDER BY identity_id LIMIT ?`,
      )
      .all(afterId, offerId, offerId, nameText, limit)
      .map(identityOf);
  }

  async countActiveAdmins(): Promise<number> {
    const row = this.#statements
      .prepare('SELECT count(*) AS n FROM identity WHERE is_admin = 1 AND is_active = 1')
      .get();
    return Number(row?.n);
  }

  async update(identityId: number, changes: IdentityChanges): Promise<void> {
    const current = await this.find(identityId);
    if (!current) throw new Error(`no identity ${identityId}`);
    const next = { ...current, ...current.own, ...changes };
    this.#statements
      .prepare(
        `UPDATE identity SET name = ?, is_admin = ?, is_active = ?, max_active_api_keys = ?, ip_subnets = ?,
           limits = ?, contract_ends_at = ?, offer_id = ?, offer_given_at = ? WHERE identity_id = ?`,
      )
      .run(
        next.name,
        Number(next.isAdmin),
        Number(next.isActive),
        next.maxActiveApiKeys,
        JSON.stringify(next.ipSubnets),
        JSON.stringify(next.limits),
        next.contractEndsAtMs,
        next.offer?.offerId ?? null,
        next.offer?.givenAtMs ?? null,
        identityId,
      );
  }
}
