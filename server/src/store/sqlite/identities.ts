/** The table of identities. */
import {
  type Identity,
  type IdentityChanges,
  type NewIdentity,
  type QuotaAmounts,
  type QuotaLimits,
  UNLIMITED,
} from '../identities.ts';
import type { QuotaSpan } from '../quantities.ts';
import type { Row, Statements } from './statements.ts';

/** Whatever was stored before a quantity was counted does not limit it. */
function limitsOf(stored: Partial<Record<QuotaSpan, Partial<QuotaAmounts>>>): QuotaLimits {
  return {
    month: { ...UNLIMITED.month, ...stored.month },
    minute: { ...UNLIMITED.minute, ...stored.minute },
  };
}

function identityOf(row: Row): Identity {
  return {
    identityId: Number(row.identity_id),
    name: String(row.name),
    isAdmin: row.is_admin === 1,
    isActive: row.is_active === 1,
    maxActiveApiKeys: Number(row.max_active_api_keys),
    ipSubnets: JSON.parse(String(row.ip_subnets)),
    limits: limitsOf(JSON.parse(String(row.limits))),
    createdAtMs: Number(row.created_at),
  };
}

export class IdentityTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  create(identity: NewIdentity): number {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO identity
           (name, is_admin, max_active_api_keys, ip_subnets, limits, created_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(
        identity.name,
        Number(identity.isAdmin),
        identity.maxActiveApiKeys,
        JSON.stringify(identity.ipSubnets),
        JSON.stringify(identity.limits),
        identity.createdAtMs,
      );
    return Number(lastInsertRowid);
  }

  find(identityId: number): Identity | null {
    const row = this.#statements
      .prepare('SELECT * FROM identity WHERE identity_id = ?')
      .get(identityId);
    return row ? identityOf(row) : null;
  }

  findByName(name: string): Identity | null {
    const row = this.#statements.prepare('SELECT * FROM identity WHERE name = ?').get(name);
    return row ? identityOf(row) : null;
  }

  /** Up to `limit` identities after an id, in the order of their ids. */
  list(afterId: number, limit: number): Identity[] {
    return this.#statements
      .prepare('SELECT * FROM identity WHERE identity_id > ? ORDER BY identity_id LIMIT ?')
      .all(afterId, limit)
      .map(identityOf);
  }

  /** Identities that may administer and are not deactivated. */
  countActiveAdmins(): number {
    const row = this.#statements
      .prepare('SELECT count(*) AS n FROM identity WHERE is_admin = 1 AND is_active = 1')
      .get();
    return Number(row?.n);
  }

  update(identityId: number, changes: IdentityChanges): void {
    const current = this.find(identityId);
    if (!current) throw new Error(`no identity ${identityId}`);
    const next = { ...current, ...changes };
    this.#statements
      .prepare(
        `UPDATE identity SET name = ?, is_admin = ?, is_active = ?, max_active_api_keys = ?,
           ip_subnets = ?, limits = ? WHERE identity_id = ?`,
      )
      .run(
        next.name,
        Number(next.isAdmin),
        Number(next.isActive),
        next.maxActiveApiKeys,
        JSON.stringify(next.ipSubnets),
        JSON.stringify(next.limits),
        identityId,
      );
  }
}
