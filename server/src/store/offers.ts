/**
 * Offers: named sets of rules, limits and end of contract, which accounts have. The interface and the console call
 * one a plan. A change of an offer counts at once for every account that has it.
 */
import type { OfferTerms } from './identities.ts';

export interface Offer extends OfferTerms {
  readonly offerId: number;
  readonly name: string;
  readonly createdAtMs: number;
}

export type NewOffer = Omit<Offer, 'offerId'>;
export type OfferChanges = Partial<Omit<NewOffer, 'createdAtMs'>>;

export interface OfferReader {
  find(offerId: number): Promise<Offer | null>;
  findByName(name: string): Promise<Offer | null>;
  /** Up to `limit` offers after an id, in the order of their ids. */
  list(afterId: number, limit: number): Promise<Offer[]>;
  /** How many accounts have it. */
  countAccounts(offerId: number): Promise<number>;
}

export interface OfferTable extends OfferReader {
  /** Returns the id, which no other offer has had. */
  create(offer: NewOffer): Promise<number>;
  update(offerId: number, changes: OfferChanges): Promise<void>;
  /** With its rules. Rejects where an account has it. */
  delete(offerId: number): Promise<void>;
}
