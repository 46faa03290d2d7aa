/** The table of sign-in places. */
import { PLACES_MAX, type SignInPlaceTable } from '../sign-in-places.ts';
import type { StatementSource } from './statements.ts';

export class SqliteSignInPlaces implements SignInPlaceTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async has(personId: number, network: string, fromMs: number): Promise<boolean> {
    const row = this.#statements
      .prepare(
        'SELECT 1 FROM sign_in_place WHERE person_id = ? AND network = ? AND signed_in_at >= ?',
      )
      .get(personId, network, fromMs);
    return row !== undefined;
  }

  async remember(personId: number, network: string, nowMs: number): Promise<void> {
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

  async forgetAllOf(personId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM sign_in_place WHERE person_id = ?').run(personId);
  }
}
