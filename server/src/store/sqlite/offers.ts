/** The table of offers. */
import { limitsOf, type OfferTerms } from '../identities.ts';
import type { NewOffer, Offer, OfferChanges, OfferTable } from '../offers.ts';
import type { Row, StatementSource } from './statements.ts';

/** Of the columns whose names begin with `prefix`. */
export function termsOf(row: Row, prefix = ''): OfferTerms {
  const endsAt = row[`${prefix}contract_ends_at`];
  const days = row[`${prefix}contract_days`];
  return {
    limits: limitsOf(JSON.parse(String(row[`${prefix}limits`]))),
    contractEndsAtMs: endsAt === null ? null : Number(endsAt),
    contractDays: days === null ? null : Number(days),
  };
}

export function offerOf(row: Row): Offer {
  return {
    offerId: Number(row.offer_id),
    name: String(row.name),
    ...termsOf(row),
    createdAtMs: Number(row.created_at),
  };
}

export class SqliteOffers implements OfferTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async create(offer: NewOffer): Promise<number> {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO offer (name, limits, contract_ends_at, contract_days, created_at)
         VALUES (?, ?, ?, ?, ?)`,
      )
      .run(
        offer.name,
        JSON.stringify(offer.limits),
        offer.contractEndsAtMs,
        offer.contractDays,
        offer.createdAtMs,
      );
    return Number(lastInsertRowid);
  }

  async find(offerId: number): Promise<Offer | null> {
    const row = this.#statements.prepare('SELECT * FROM offer WHERE offer_id = ?').get(offerId);
    return row ? offerOf(row) : null;
  }

  async findByName(name: string): Promise<Offer | null> {
    const row = this.#statements.prepare('SELECT * FROM offer WHERE name = ?').get(name);
    return row ? offerOf(row) : null;
  }

  async list(afterId: number, limit: number): Promise<Offer[]> {
    return this.#statements
      .prepare('SELECT * FROM offer WHERE offer_id > ? ORDER BY offer_id LIMIT ?')
      .all(afterId, limit)
      .map(offerOf);
  }

  async countAccounts(offerId: number): Promise<number> {
    const row = this.#statements
      .prepare('SELECT count(*) AS n FROM identity WHERE offer_id = ?')
      .get(offerId);
    return Number(row?.n);
  }

  async update(offerId: number, changes: OfferChanges): Promise<void> {
    const current = await this.find(offerId);
    if (!current) throw new Error(`no offer ${offerId}`);
    const next = { ...current, ...changes };
    this.#statements
      .prepare(
        `UPDATE offer SET name = ?, limits = ?, contract_ends_at = ?, contract_days = ?
         WHERE offer_id = ?`,
      )
      .run(
        next.name,
        JSON.stringify(next.limits),
        next.contractEndsAtMs,
        next.contractDays,
        offerId,
      );
  }

  async delete(offerId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM offer WHERE offer_id = ?').run(offerId);
  }
}
