/** The table of offers. */
import { limitsOf } from '../identities.ts';
import type { NewOffer, Offer, OfferChanges, OfferTable } from '../offers.ts';
import { canStand, countOf, insertedId, type Queries, selected } from './queries.ts';

export const OFFERS = `SELECT ${selected({
  offerId: 'offer_id',
  name: 'name',
  limits: 'limits',
  contractEndsAtMs: 'contract_ends_at',
  contractDays: 'contract_days',
  createdAtMs: 'created_at',
})} FROM ticklake.offer`;

export function offerOf(row: Offer): Offer {
  return { ...row, limits: limitsOf(row.limits) };
}

export class PostgresOffers implements OfferTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  create(offer: NewOffer): Promise<number> {
    return insertedId(
      this.#queries,
      `INSERT INTO ticklake.offer (name, limits, contract_ends_at, contract_days, created_at)
       VALUES ($1, $2, $3, $4, $5) RETURNING offer_id AS id`,
      offer.name,
      JSON.stringify(offer.limits),
      offer.contractEndsAtMs,
      offer.contractDays,
      offer.createdAtMs,
    );
  }

  async find(offerId: number): Promise<Offer | null> {
    const row = await this.#queries.get<Offer>(`${OFFERS} WHERE offer_id = $1`, offerId);
    return row ? offerOf(row) : null;
  }

  async findByName(name: string): Promise<Offer | null> {
    if (!canStand(name)) return null;
    const row = await this.#queries.get<Offer>(`${OFFERS} WHERE name = $1`, name);
    return row ? offerOf(row) : null;
  }

  async list(afterId: number, limit: number): Promise<Offer[]> {
    const sql = `${OFFERS} WHERE offer_id > $1 ORDER BY offer_id LIMIT $2`;
    return (await this.#queries.all<Offer>(sql, afterId, limit)).map(offerOf);
  }

  countAccounts(offerId: number): Promise<number> {
    const sql = 'SELECT count(*) FROM ticklake.identity WHERE offer_id = $1';
    return countOf(this.#queries, sql, offerId);
  }

  async update(offerId: number, changes: OfferChanges): Promise<void> {
    const current = await this.find(offerId);
    if (!current) throw new Error(`no offer ${offerId}`);
    const next = { ...current, ...changes };
    await this.#queries.run(
      `UPDATE ticklake.offer SET name = $1, limits = $2, contract_ends_at = $3, contract_days = $4
       WHERE offer_id = $5`,
      next.name,
      JSON.stringify(next.limits),
      next.contractEndsAtMs,
      next.contractDays,
      offerId,
    );
  }

  async delete(offerId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.offer WHERE offer_id = $1', offerId);
  }
}
