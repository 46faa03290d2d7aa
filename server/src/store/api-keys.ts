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

export interface ApiKeyReader {
  find(keyId: number): Promise<ApiKey | null>;
  /** In the order of their ids. */
  listOf(identityId: number): Promise<ApiKey[]>;
  /** Keys of an identity, whatever their state. */
  count(identityId: number): Promise<number>;
  /** Keys of an identity that are neither deactivated nor expired. */
  countActive(identityId: number, nowMs: number): Promise<number>;
  /** Whether there is a key that opens something: neither it nor its account has ended. */
  isAnyUsable(nowMs: number): Promise<boolean>;
}

export interface ApiKeyTable extends ApiKeyReader {
  /** Returns the id, which no other key has had. */
  create(key: NewApiKey): Promise<number>;
  rename(keyId: number, name: string): Promise<void>;
  setActive(keyId: number, isActive: boolean): Promise<void>;
  delete(keyId: number): Promise<void>;
}
