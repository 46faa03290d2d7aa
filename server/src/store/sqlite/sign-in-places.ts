/** From which networks people have signed in: few of each person, the latest ones. */
import type { Statements } from './statements.ts';

const PLACES_MAX = 10;

export class SignInPlaceTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Whether a person has signed in from a network at or after a moment. */
  has(personId: number, network: string, fromMs: number): boolean {
    const row = this.#statements
      .prepare(
        'SELECT 1 FROM sign_in_place WHERE person_id = ? AND network = ? AND signed_in_at >= ?',
      )
      .get(personId, network, fromMs);
    return row !== undefined;
  }

  /** Part of a transaction. The places that were used longest ago make room. */
  remember(personId: number, network: string, nowMs: number): void {
    this.#statements
      .prepare(
        `INSERT INTO sign_in_place (person_id, network, signed_in_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET signed_in_at = excluded.signed_in_at`,
      )
      .run(personId, network, nowMs);
    this.#statements
      .prepare(
        `DELETE FROM sign_in_place WHERE person_id = :person AND network IN
           (SELECT network FROM sign_in_place WHERE person_id = :person
            ORDER BY signed_in_at DESC, network LIMIT -1 OFFSET ${PLACES_MAX})`,
      )
      .run({ person: personId });
  }

  forgetAllOf(personId: number): void {
    this.#statements.prepare('DELETE FROM sign_in_place WHERE person_id = ?').run(personId);
  }
}
