/** The table of identities. */
import {
  type Identity,
  type IdentityChanges,
  type IdentityTable,
  limitsOf,
  type NewIdentity,
} from '../identities.ts';
import type { Row, StatementSource } from './statements.ts';

export function identityOf(row: Row): Identity {
  return {
    identityId: Number(row.identity_id),
    name: String(row.name),
    isAdmin: row.is_admin === 1,
    isActive: row.is_active === 1,
    maxActiveApiKeys: Number(row.max_active_api_keys),
    ipSubnets: JSON.parse(String(row.ip_subnets)),
    limits: limitsOf(JSON.parse(String(row.limits))),
    contractEndsAtMs: row.contract_ends_at === null ? null : Number(row.contract_ends_at),
    createdAtMs: Number(row.created_at),
  };
}

export class SqliteIdentities implements IdentityTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async create(identity: NewIdentity): Promise<number> {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO identity
           (name, is_admin, max_active_api_keys, ip_subnets, limits, contract_ends_at, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        identity.name,
        Number(identity.isAdmin),
        identity.maxActiveApiKeys,
        JSON.stringify(identity.ipSubnets),
        JSON.stringify(identity.limits),
        identity.contractEndsAtMs ?? null,
        identity.createdAtMs,
      );
    return Number(lastInsertRowid);
  }

  async find(identityId: number): Promise<Identity | null> {
    const row = this.#statements
      .prepare('SELECT * FROM identity WHERE identity_id = ?')
      .get(identityId);
    return row ? identityOf(row) : null;
  }

  async findByName(name: string): Promise<Identity | null> {
    const row = this.#statements.prepare('SELECT * FROM identity WHERE name = ?').get(name);
    return row ? identityOf(row) : null;
  }

  async list(afterId: number, limit: number): Promise<Identity[]> {
    return this.#statements
      .prepare('SELECT * FROM identity WHERE identity_id > ? ORDER BY identity_id LIMIT ?')
      .all(afterId, limit)
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
    const next = { ...current, ...changes };
    this.#statements
      .prepare(
        `UPDATE identity SET name = ?, is_admin = ?, is_active = ?, max_active_api_keys = ?,
           ip_subnets = ?, limits = ?, contract_ends_at = ? WHERE identity_id = ?`,
      )
      .run(
        next.name,
        Number(next.isAdmin),
        Number(next.isActive),
        next.maxActiveApiKeys,
        JSON.stringify(next.ipSubnets),
        JSON.stringify(next.limits),
        next.contractEndsAtMs,
        identityId,
      );
  }
}
