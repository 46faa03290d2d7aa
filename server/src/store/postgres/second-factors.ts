/** The table of second factors. */
import type { SecondFactor, SecondFactorTable } from '../second-factors.ts';
import { type Queries, selected } from './queries.ts';

export const SECOND_FACTOR_SCHEMA = `
  CREATE TABLE ticklake.second_factor (
    person_id bigint PRIMARY KEY REFERENCES ticklake.person ON DELETE CASCADE,
    secret text NOT NULL,
    is_on boolean NOT NULL,
    last_step bigint NOT NULL,
    failure_count integer NOT NULL,
    recovery_hashes text[] NOT NULL
  );
  ALTER TABLE ticklake.person ADD COLUMN has_second_factor boolean NOT NULL DEFAULT false;

  -- Where a session was begun, and with which browser: for the person, who is to know it again.
  ALTER TABLE ticklake.session ADD COLUMN source text NOT NULL DEFAULT '';
  ALTER TABLE ticklake.session ADD COLUMN browser text NOT NULL DEFAULT '';
`;

const FACTORS = `SELECT ${selected({
  personId: 'person_id',
  secret: 'secret',
  isOn: 'is_on',
  lastStep: 'last_step',
  failureCount: 'failure_count',
  recoveryHashes: 'recovery_hashes',
})} FROM ticklake.second_factor`;

export class PostgresSecondFactors implements SecondFactorTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async find(personId: number): Promise<SecondFactor | null> {
    const sql = `${FACTORS} WHERE person_id = $1`;
    return (await this.#queries.get<SecondFactor>(sql, personId)) ?? null;
  }

  async put(factor: SecondFactor): Promise<void> {
    await this.#queries.run(
      `INSERT INTO ticklake.second_factor
         (person_id, secret, is_on, last_step, failure_count, recovery_hashes)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (person_id) DO UPDATE SET secret = excluded.secret, is_on = excluded.is_on,
         last_step = excluded.last_step, failure_count = excluded.failure_count,
         recovery_hashes = excluded.recovery_hashes`,
      factor.personId,
      factor.secret,
      factor.isOn,
      factor.lastStep,
      factor.failureCount,
      factor.recoveryHashes,
    );
    await this.#tellPerson(factor.personId, factor.isOn);
  }

  async delete(personId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.second_factor WHERE person_id = $1', personId);
    await this.#tellPerson(personId, false);
  }

  async #tellPerson(personId: number, isOn: boolean): Promise<void> {
    await this.#queries.run(
      `UPDATE ticklake.person SET has_second_factor = $2
       WHERE person_id = $1 AND has_second_factor <> $2`,
      personId,
      isOn,
    );
  }
}
