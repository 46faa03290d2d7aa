/** The table of identities. */
import {
  type Identity,
  type IdentityChanges,
  type IdentityFilter,
  type IdentityTable,
  identityUnder,
  type KeptIdentity,
  limitsOf,
  type NewIdentity,
  type QuotaLimits,
} from '../identities.ts';
import { canStand, countOf, insertedId, type Queries, selected } from './queries.ts';

/** Identities, each with the terms of its offer. */
export const IDENTITIES = `SELECT ${selected({
  identityId: 'identity_id',
  name: 'identity.name',
  isAdmin: 'is_admin',
  isActive: 'is_active',
  maxActiveApiKeys: 'max_active_api_keys',
  ipSubnets: 'ip_subnets',
  limits: 'identity.limits',
  contractEndsAtMs: 'identity.contract_ends_at',
  offerId: 'identity.offer_id',
  offerGivenAtMs: 'offer_given_at',
  offeredLimits: 'offer.limits',
  offeredContractEndsAtMs: 'offer.contract_ends_at',
  offeredContractDays: 'offer.contract_days',
  createdAtMs: 'identity.created_at',
})} FROM ticklake.identity LEFT JOIN ticklake.offer ON offer.offer_id = identity.offer_id`;

/** A row of `IDENTITIES`. */
export interface IdentityRow extends Omit<KeptIdentity, 'own' | 'offer'> {
  readonly limits: QuotaLimits;
  readonly contractEndsAtMs: number | null;
  readonly offerId: number | null;
  readonly offerGivenAtMs: number | null;
  readonly offeredLimits: QuotaLimits | null;
  readonly offeredContractEndsAtMs: number | null;
  readonly offeredContractDays: number | null;
}

export function identityOf(row: IdentityRow): Identity {
  const { limits, contractEndsAtMs, offerId, offerGivenAtMs, ...rest } = row;
  const { offeredLimits, offeredContractEndsAtMs, offeredContractDays, ...others } = rest;
  const kept = {
    ...others,
    own: { limits: limitsOf(limits), contractEndsAtMs },
    offer: offerId === null ? null : { offerId, givenAtMs: offerGivenAtMs ?? 0 },
  };
  const terms = offeredLimits && {
    limits: limitsOf(offeredLimits),
    contractEndsAtMs: offeredContractEndsAtMs,
    contractDays: offeredContractDays,
  };
  return identityUnder(kept, terms);
}

export class PostgresIdentities implements IdentityTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  create(identity: NewIdentity): Promise<number> {
    return insertedId(
      this.#queries,
      `INSERT INTO ticklake.identity (name, is_admin, max_active_api_keys, ip_subnets, limits,
         contract_ends_at, offer_id, offer_given_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING identity_id AS id`,
      identity.name,
      identity.isAdmin,
      identity.maxActiveApiKeys,
      identity.ipSubnets,
      JSON.stringify(identity.limits),
      identity.contractEndsAtMs ?? null,
      identity.offer?.offerId ?? null,
      identity.offer?.givenAtMs ?? null,
      identity.createdAtMs,
    );
  }

  async find(identityId: number): Promise<Identity | null> {
    const sql = `${IDENTITIES} WHERE identity_id = $1`;
    const row = await this.#queries.get<IdentityRow>(sql, identityId);
    return row ? identityOf(row) : null;
  }

  async findByName(name: string): Promise<Identity | null> {
    if (!canStand(name)) return null;
    const sql = `${IDENTITIES} WHERE identity.name = $1`;
    const row = await this.#queries.get<IdentityRow>(sql, name);
    return row ? identityOf(row) : null;
  }

  async list(afterId: number, limit: number, filter: IdentityFilter = {}): Promise<Identity[]> {
    const { offerId = null, nameText = '' } = filter;
    const rows = await this.#queries.all<IdentityRow>(
      `${IDENTITIES} WHERE identity_id > $1 AND ($2::bigint IS NULL OR identity.offer_id = $2)
       AND strpos(lower(identity.name), lower($4)) > 0
       ORDER BY identity_id LIMIT $3`,
      afterId,
      offerId,
      limit,
      nameText,
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
    const next = { ...current, ...current.own, ...changes };
    await this.#queries.run(
      `UPDATE ticklake.identity SET name = $1, is_admin = $2, is_active = $3, max_active_api_keys = $4,
         ip_subnets = $5, limits = $6, contract_ends_at = $7, offer_id = $8, offer_given_at = $9
       WHERE identity_id = $10`,
      next.name,
      next.isAdmin,
      next.isActive,
      next.maxActiveApiKeys,
      next.ipSubnets,
      JSON.stringify(next.limits),
      next.contractEndsAtMs,
      next.offer?.offerId ?? null,
      next.offer?.givenAtMs ?? null,
      identityId,
    );
  }
}
