/** The table of identities. */
import {
  type Identity,
  type IdentityChanges,
  type IdentityTable,
  limitsOf,
  type NewIdentity,
} from '../identities.ts';
import { canStand, countOf, insertedId, type Queries, selected } from './queries.ts';

export const IDENTITIES = `SELECT ${selected({
  identityId: 'identity_id',
  name: 'name',
  isAdmin: 'is_admin',
  isActive: 'is_active',
  maxActiveApiKeys: 'max_active_api_keys',
  ipSubnets: 'ip_subnets',
  limits: 'limits',
  contractEndsAtMs: 'contract_ends_at',
  createdAtMs: 'created_at',
})} FROM ticklake.identity`;

export function identityOf(row: Identity): Identity {
  return { ...row, limits: limitsOf(row.limits) };
}

export class PostgresIdentities implements IdentityTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  create(identity: NewIdentity): Promise<number> {
    return insertedId(
      this.#queries,
      `INSERT INTO ticklake.identity
         (name, is_admin, max_active_api_keys, ip_subnets, limits, contract_ends_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING identity_id AS id`,
      identity.name,
      identity.isAdmin,
      identity.maxActiveApiKeys,
      identity.ipSubnets,
      JSON.stringify(identity.limits),
      identity.contractEndsAtMs ?? null,
      identity.createdAtMs,
    );
  }

  async find(identityId: number): Promise<Identity | null> {
    const row = await this.#queries.get<Identity>(
      `${IDENTITIES} WHERE identity_id = $1`,
      identityId,
    );
    return row ? identityOf(row) : null;
  }

  async findByName(name: string): Promise<Identity | null> {
    if (!canStand(name)) return null;
    const row = await this.#queries.get<Identity>(`${IDENTITIES} WHERE name = $1`, name);
    return row ? identityOf(row) : null;
  }

  async list(afterId: number, limit: number): Promise<Identity[]> {
    const rows = await this.#queries.all<Identity>(
      `${IDENTITIES} WHERE identity_id > $1 ORDER BY identity_id LIMIT $2`,
      afterId,
      limit,
    );
    return rows.map(identityOf);
  }

  countActiveAdmins(): Promise<number> {
    return countOf(
      this.#queries,
      'SELECT count(*) FROM ticklake.identity WHERE is_admin AND is_active',
    );
  }

  async update(identityId: number, changes: IdentityChanges): Promise<void> {
    const current = await this.find(identityId);
    if (!current) throw new Error(`no identity ${identityId}`);
    const next = { ...current, ...changes };
    await this.#queries.run(
      `UPDATE ticklake.identity SET name = $1, is_admin = $2, is_active = $3,
         max_active_api_keys = $4, ip_subnets = $5, limits = $6, contract_ends_at = $7
       WHERE identity_id = $8`,
      next.name,
      next.isAdmin,
      next.isActive,
      next.maxActiveApiKeys,
      next.ipSubnets,
      JSON.stringify(next.limits),
      next.contractEndsAtMs,
      identityId,
    );
  }
}
