/**
 * Offers: named sets of rules, limits and end of contract, which accounts have. The interface and
 * the console call one a plan. A change of an offer counts at once for every account that has it.
 */
import { type OfferTerms, storedLimits } from './accounts.ts';
import { canStand, countOf, insertedId, type Queries, selected } from './queries.ts';

export interface Offer extends OfferTerms {
  readonly offerId: number;
  readonly name: string;
  readonly createdAtMs: number;
}

export type NewOffer = Omit<Offer, 'offerId'>;
export type OfferChanges = Partial<Omit<NewOffer, 'createdAtMs'>>;

export const OFFERS = `SELECT ${selected({
  offerId: 'offer_id',
  name: 'name',
  limits: 'limits',
  contractEndsAtMs: 'contract_ends_at',
  contractDays: 'contract_days',
  createdAtMs: 'created_at',
})} FROM offer`;

/** A row of `OFFERS`. */
export type OfferRow = Omit<Offer, 'limits'> & { readonly limits: string };

export function offerOf(row: OfferRow): Offer {
  return { ...row, limits: storedLimits(row.limits) };
}

export class OfferReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async find(offerId: number): Promise<Offer | null> {
    const row = await this.queries.get<OfferRow>(`${OFFERS} WHERE offer_id = $1`, offerId);
    return row ? offerOf(row) : null;
  }

  async findByName(name: string): Promise<Offer | null> {
    if (!canStand(name)) return null;
    const row = await this.queries.get<OfferRow>(`${OFFERS} WHERE name = $1`, name);
    return row ? offerOf(row) : null;
  }

  /** Up to `limit` offers after an id, in the order of their ids. */
  async list(afterId: number, limit: number): Promise<Offer[]> {
    const sql = `${OFFERS} WHERE offer_id > $1 ORDER BY offer_id LIMIT $2`;
    return (await this.queries.all<OfferRow>(sql, afterId, limit)).map(offerOf);
  }

  /** How many accounts have it. */
  countAccounts(offerId: number): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM identity WHERE offer_id = $1';
    return countOf(this.queries, sql, offerId);
  }
}

export class OfferTable extends OfferReader {
  /** Returns the id, which no other offer has had. */
  create(offer: NewOffer): Promise<number> {
    return insertedId(
      this.queries,
      `INSERT INTO offer (name, limits, contract_ends_at, contract_days, created_at)
       VALUES ($1, $2, $3, $4, $5) RETURNING offer_id AS id`,
      offer.name,
      JSON.stringify(offer.limits),
      offer.contractEndsAtMs,
      offer.contractDays,
      offer.createdAtMs,
    );
  }

  async update(offerId: number, changes: OfferChanges): Promise<void> {
    const current = await this.find(offerId);
    if (!current) throw new Error(`no offer ${offerId}`);
    const next = { ...current, ...changes };
    await this.queries.run(
      `UPDATE offer SET name = $1, limits = $2, contract_ends_at = $3, contract_days = $4
       WHERE offer_id = $5`,
      next.name,
      JSON.stringify(next.limits),
      next.contractEndsAtMs,
      next.contractDays,
      offerId,
    );
  }

  /** With its rules. Rejects where an account has it. */
  async delete(offerId: number): Promise<void> {
    await this.queries.run('DELETE FROM offer WHERE offer_id = $1', offerId);
  }
}
