/** The second factor of people who have one, or are about to: a secret that their authenticator app shares. */

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

export interface SecondFactorReader {
  find(personId: number): Promise<SecondFactor | null>;
}

export interface SecondFactorTable extends SecondFactorReader {
  /** In place of the person's earlier one; the person's record says from then on whether it is on. */
  put(factor: SecondFactor): Promise<void>;
  delete(personId: number): Promise<void>;
}
