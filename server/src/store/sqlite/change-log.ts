/**
 * Reads the log of changes. Triggers write whom a change concerns, whichever process makes it; a
 * subject has one row, of its newest change.
 */
import type { AccountRecords, OfferRecords, PersonRecords, StoreChanges } from '../replica.ts';
import { ruleOf } from './access-rules.ts';
import { keyOf } from './api-keys.ts';
import { IDENTITIES, identityOf } from './identities.ts';
import { offerOf } from './offers.ts';
import { personOf } from './people.ts';
import { sessionOf } from './sessions.ts';
import type { Row, Statements } from './statements.ts';

const POSITION = 'SELECT coalesce(max(change_id), 0) FROM change_log';
const KEYS = 'SELECT * FROM api_key WHERE identity_id = ? ORDER BY key_id';
const RULES = 'SELECT * FROM access_rule WHERE identity_id = ?';
const OFFERED_RULES = 'SELECT * FROM access_rule WHERE offer_id = ?';
const SESSIONS = 'SELECT * FROM session WHERE person_id = ?';

export class ChangeLog {
  readonly #statements: Statements;
  readonly #position: () => number;

  constructor(statements: Statements) {
    this.#statements = statements;
    this.#position = statements.prepareNumber(POSITION);
  }

  /** The changes after a position, read at one moment; all records if it is null. Null: nothing changed. */
  changesSince(position: number | null): StoreChanges | null {
    if (this.#position() === position) return null;
    this.#statements.exec('BEGIN');
    try {
      return {
        position: this.#position(),
        isWhole: position === null,
        offers: position === null ? this.#allOffers() : this.#changedOffers(position),
        accounts: position === null ? this.#allAccounts() : this.#changedAccounts(position),
        people: position === null ? this.#allPeople() : this.#changedPeople(position),
      };
    } finally {
      // A failing disk has ended it already, and is the error to report.
      if (this.#statements.isInTransaction) this.#statements.exec('COMMIT');
    }
  }

  #changedIds(subject: 'identity' | 'offer' | 'person', position: number): number[] {
    return this.#statements
      .prepare('SELECT subject_id AS id FROM change_log WHERE subject = ? AND change_id > ?')
      .all(subject, position)
      .map(({ id }) => Number(id));
  }

  #changedAccounts(position: number): Map<number, AccountRecords | null> {
    const find = this.#statements.prepare(`${IDENTITIES} WHERE identity_id = ?`);
    return new Map(
      this.#changedIds('identity', position).map((id) => {
        const row = find.get(id);
        return [id, row ? this.#account(row) : null];
      }),
    );
  }

  #allAccounts(): Map<number, AccountRecords> {
    const rows = this.#statements.prepare(IDENTITIES).all();
    return new Map(rows.map((row) => [Number(row.identity_id), this.#account(row)]));
  }

  #account(row: Row): AccountRecords {
    const identity = identityOf(row);
    const { identityId } = identity;
    return {
      identity,
      keys: this.#statements
        .prepare(KEYS)
        .all(identityId)
        .map((key) => ({
          hash: Buffer.from(key.key_hash as Uint8Array).toString('hex'),
          key: keyOf(key),
        })),
      rules: this.#statements.prepare(RULES).all(identityId).map(ruleOf),
    };
  }

  #changedOffers(position: number): Map<number, OfferRecords | null> {
    const find = this.#statements.prepare('SELECT * FROM offer WHERE offer_id = ?');
    return new Map(
      this.#changedIds('offer', position).map((id) => {
        const row = find.get(id);
        return [id, row ? this.#offer(row) : null];
      }),
    );
  }

  #allOffers(): Map<number, OfferRecords> {
    const rows = this.#statements.prepare('SELECT * FROM offer').all();
    return new Map(rows.map((row) => [Number(row.offer_id), this.#offer(row)]));
  }

  #offer(row: Row): OfferRecords {
    const offer = offerOf(row);
    const rules = this.#statements.prepare(OFFERED_RULES).all(offer.offerId).map(ruleOf);
    return { offer, rules };
  }

  #changedPeople(position: number): Map<number, PersonRecords | null> {
    const find = this.#statements.prepare('SELECT * FROM person WHERE person_id = ?');
    return new Map(
      this.#changedIds('person', position).map((id) => {
        const row = find.get(id);
        return [id, row ? this.#person(row) : null];
      }),
    );
  }

  #allPeople(): Map<number, PersonRecords> {
    const rows = this.#statements.prepare('SELECT * FROM person').all();
    return new Map(rows.map((row) => [Number(row.person_id), this.#person(row)]));
  }

  #person(row: Row): PersonRecords {
    const person = personOf(row);
    const sessions = this.#statements.prepare(SESSIONS).all(person.personId).map(sessionOf);
    return { person, sessions };
  }
}
