/** The networks that people have signed in from: the latest few of each person. */
import { isThere } from './queries.ts';
import { TableReader } from './records.ts';

/** The number of places that are kept for each person. */
export const PLACES_MAX = 10;

export class SignInPlaceReader extends TableReader {
  /** True if a person has signed in from a network at or after a moment. */
  has(personId: number, network: string, fromMs: number): Promise<boolean> {
    return isThere(
      this.queries,
      'SELECT 1 FROM sign_in_place WHERE person_id = $1 AND network = $2 AND signed_in_at >= $3',
      personId,
      network,
      fromMs,
    );
  }
}

export class SignInPlaceTable extends SignInPlaceReader {
  /** The places that were used longest ago make room. */
  async remember(personId: number, network: string, nowMs: number): Promise<void> {
    await this.queries.run(
      `INSERT INTO sign_in_place (person_id, network, signed_in_at) VALUES ($1, $2, $3)
       ON CONFLICT (person_id, network) DO UPDATE SET signed_in_at = excluded.signed_in_at`,
      personId,
      network,
      nowMs,
    );
    await this.queries.run(
      `DELETE FROM sign_in_place WHERE person_id = $1 AND network NOT IN
         (SELECT network FROM sign_in_place WHERE person_id = $1
          ORDER BY signed_in_at DESC, network LIMIT $2)`,
      personId,
      PLACES_MAX,
    );
  }

  async forgetAllOf(personId: number): Promise<void> {
    await this.queries.run('DELETE FROM sign_in_place WHERE person_id = $1', personId);
  }
}
