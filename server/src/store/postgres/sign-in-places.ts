/** The table of sign-in places. */
import { PLACES_MAX, type SignInPlaceTable } from '../sign-in-places.ts';
import { isThere, type Queries } from './queries.ts';

export class PostgresSignInPlaces implements SignInPlaceTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  has(personId: number, network: string, fromMs: number): Promise<boolean> {
    return isThere(
      this.#queries,
      `SELECT 1 FROM ticklake.sign_in_place
       WHERE person_id = $1 AND network = $2 AND signed_in_at >= $3`,
      personId,
      network,
      fromMs,
    );
  }

  async remember(personId: number, network: string, nowMs: number): Promise<void> {
    await this.#queries.run(
      `INSERT INTO ticklake.sign_in_place (person_id, network, signed_in_at) VALUES ($1, $2, $3)
       ON CONFLICT (person_id, network) DO UPDATE SET signed_in_at = excluded.signed_in_at`,
      personId,
      network,
      nowMs,
    );
    await this.#queries.run(
      `DELETE FROM ticklake.sign_in_place WHERE person_id = $1 AND network IN
         (SELECT network FROM ticklake.sign_in_place WHERE person_id = $1
          ORDER BY signed_in_at DESC, network OFFSET $2)`,
      personId,
      PLACES_MAX,
    );
  }

  async forgetAllOf(personId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.sign_in_place WHERE person_id = $1', personId);
  }
}
