/**
 * Offers: named sets of rules, limits and end of contract, which accounts have. The interface and
 * the console call one a plan. A change of an offer counts at once for every account that has it.
 */
import { type OfferTerms, storedLimits } from './accounts.ts';
import { canStand, countOf } from './queries.ts';
import { RecordReader, Records } from './records.ts';

export interface Offer extends OfferTerms {
  readonly offerId: number;
  readonly name: string;
  readonly createdAtMs: number;
}

export type NewOffer = Omit<Offer, 'offerId'>;

export const OFFERS = new Records<Offer>({
  table: 'offer',
  json: { limits: storedLimits },
});

export class OfferReader extends RecordReader<Offer> {
  protected readonly records = OFFERS;

  async findByName(name: string): Promise<Offer | null> {
    return canStand(name) ? this.first('WHERE name = $1', name) : null;
  }

  /** Up to `limit` offers after an id, in the order of their ids. */
  list(afterId: number, limit: number): Promise<Offer[]> {
    return this.all('WHERE offer_id > $1 ORDER BY offer_id LIMIT $2', afterId, limit);
  }

  /** How many accounts have it. */
  countAccounts(offerId: number): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM identity WHERE offer_id = $1';
    return countOf(this.queries, sql, offerId);
  }
}

export class OfferTable extends OfferReader {
  create(offer: NewOffer): Promise<number> {
    return this.insert(offer);
  }

  update(offerId: number, changes: Partial<Omit<NewOffer, 'createdAtMs'>>): Promise<void> {
    return this.change(offerId, changes);
  }

  /** With its rules. Rejects where an account has it. */
  delete(offerId: number): Promise<void> {
    return this.remove('offer_id = $1', offerId);
  }
}
