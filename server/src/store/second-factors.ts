/**
 * The second factor of people who have one, or are about to: a secret that their authenticator app
 * shares.
 */
import { RecordReader, Records } from './records.ts';

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

const FACTORS = new Records<SecondFactor>({
  table: 'second_factor',
  json: { recoveryHashes: JSON.parse },
});

export class SecondFactorReader extends RecordReader<SecondFactor> {
  protected readonly records = FACTORS;
}

export class SecondFactorTable extends SecondFactorReader {
  /**
   * In place of the person's earlier one; the person's record says from then on whether it is on.
   */
  async put(factor: SecondFactor): Promise<void> {
    await this.replace(factor);
    await this.#tellPerson(factor.personId, factor.isOn);
  }

  async delete(personId: number): Promise<void> {
    await this.remove('person_id = $1', personId);
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
