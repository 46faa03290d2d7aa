/**
 * The second factor of people who have one, or are about to: a secret that their authenticator app
 * shares.
 */
import { type Queries, selected } from './queries.ts';

export interface SecondFactor {
  readonly personId: number;
  /** Base32. The server has to compute with it, so it is kept as it is. */
  readonly secret: string;
  /** False until a code has shown that the app has the secret. */
  readonly isOn: boolean;
  /** The last interval whose code was accepted: none is accepted twice. */
  readonly lastStep: number;
  /** Wrong codes since the last right one. */
  readonly failureCount: number;
  /** SHA-256 of the recovery codes that were not used. */
  readonly recoveryHashes: readonly string[];
}

const FACTORS = `SELECT ${selected({
  personId: 'person_id',
  secret: 'secret',
  isOn: 'is_on',
  lastStep: 'last_step',
  failureCount: 'failure_count',
  recoveryHashes: 'recovery_hashes',
})} FROM second_factor`;

export class SecondFactorReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async find(personId: number): Promise<SecondFactor | null> {
    type FactorRow = SecondFactor & { readonly recoveryHashes: never };
    const row = await this.queries.get<FactorRow>(`${FACTORS} WHERE person_id = $1`, personId);
    return row ? { ...row, recoveryHashes: JSON.parse(row.recoveryHashes) } : null;
  }
}

export class SecondFactorTable extends SecondFactorReader {
  /**
   * In place of the person's earlier one; the person's record says from then on whether it is on.
   */
  async put(factor: SecondFactor): Promise<void> {
    await this.queries.run(
      `INSERT INTO second_factor
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
      JSON.stringify(factor.recoveryHashes),
    );
    await this.#tellPerson(factor.personId, factor.isOn);
  }

  async delete(personId: number): Promise<void> {
    await this.queries.run('DELETE FROM second_factor WHERE person_id = $1', personId);
    await this.#tellPerson(personId, false);
  }

  async #tellPerson(personId: number, isOn: boolean): Promise<void> {
    await this.queries.run(
      `UPDATE person SET has_second_factor = $2
       WHERE person_id = $1 AND has_second_factor <> $2`,
      personId,
      isOn,
    );
  }
}
