/** API keys, kept as hashes. */

export interface ApiKey {
  readonly keyId: number;
  readonly identityId: number;
  readonly name: string;
  /** Last four characters of the key. */
  readonly reference: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly isActive: boolean;
}

export interface NewApiKey {
  readonly identityId: number;
  readonly name: string;
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly hash: string;
  readonly reference: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface HashedApiKey {
  readonly hash: string;
  readonly key: ApiKey;
}
