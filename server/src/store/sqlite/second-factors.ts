/** The table of second factors. */
import type { SecondFactor, SecondFactorTable } from '../second-factors.ts';
import type { StatementSource } from './statements.ts';

export const SECOND_FACTOR_SCHEMA = `
  CREATE TABLE second_factor (
    person_id INTEGER PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    secret TEXT NOT NULL,
    is_on INTEGER NOT NULL,
    last_step INTEGER NOT NULL,
    failure_count INTEGER NOT NULL,
    -- A JSON array.
    recovery_hashes TEXT NOT NULL
  ) STRICT;
  ALTER TABLE person ADD COLUMN has_second_factor INTEGER NOT NULL DEFAULT 0;

  -- Where a session was begun, and with which browser: for the person, who is to know it again.
  ALTER TABLE session ADD COLUMN source TEXT NOT NULL DEFAULT '';
  ALTER TABLE session ADD COLUMN browser TEXT NOT NULL DEFAULT '';
`;

export class SqliteSecondFactors implements SecondFactorTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async find(personId: number): Promise<SecondFactor | null> {
    const row = this.#statements
      .prepare('SELECT * FROM second_factor WHERE person_id = ?')
      .get(personId);
    if (!row) return null;
    return {
      personId,
      secret: String(row.secret),
      isOn: row.is_on === 1,
      lastStep: Number(row.last_step),
      failureCount: Number(row.failure_count),
      recoveryHashes: JSON.parse(String(row.recovery_hashes)),
    };
  }

  async put(factor: SecondFactor): Promise<void> {
    this.#statements
      .prepare(
        `INSERT INTO second_factor
           (person_id, secret, is_on, last_step, failure_count, recovery_hashes)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (person_id) DO UPDATE SET secret = excluded.secret, is_on = excluded.is_on,
           last_step = excluded.last_step, failure_count = excluded.failure_count,
           recovery_hashes = excluded.recovery_hashes`,
      )
      .run(
        factor.personId,
        factor.secret,
        Number(factor.isOn),
        factor.lastStep,
        factor.failureCount,
        JSON.stringify(factor.recoveryHashes),
      );
    this.#tellPerson(factor.personId, factor.isOn);
  }

  async delete(personId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM second_factor WHERE person_id = ?').run(personId);
    this.#tellPerson(personId, false);
  }

  #tellPerson(personId: number, isOn: boolean): void {
    this.#statements
      .prepare(
        'UPDATE person SET has_second_factor = ?2 WHERE person_id = ?1 AND has_second_factor <> ?2',
      )
      .run(personId, Number(isOn));
  }
}
