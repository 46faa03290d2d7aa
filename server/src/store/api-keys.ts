/** API keys, kept as hashes. */
import type { Account } from './accounts.ts';
import { isThere } from './queries.ts';
import { RecordReader, Records } from './records.ts';

export interface ApiKey {
  readonly keyId: number;
  readonly accountId: number;
  readonly name: string;
  /** Last four characters of the key. */
  readonly reference: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly isActive: boolean;
}

export interface NewApiKey {
  readonly accountId: number;
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

/** A key with its account, as callers are known by it. */
export interface Credential {
  /** Without what each use of the key changes. */
  readonly key: Omit<ApiKey, 'lastUsedAtMs'>;
  readonly account: Account;
}

type KeyFields = ApiKey & Pick<NewApiKey, 'hash'>;

const SHAPE = {
  table: 'api_key',
  fields: { key_hash: 'hash' },
} as const;

const hashed = ({ hash, ...key }: KeyFields): HashedApiKey => ({ hash, key });
export const HASHED_KEYS = new Records<HashedApiKey, KeyFields>({ ...SHAPE, made: hashed });
const KEYS = new Records<ApiKey, KeyFields>({ ...SHAPE, made: (fields) => hashed(fields).key });

export class ApiKeyReader extends RecordReader<ApiKey, KeyFields> {
  protected readonly records = KEYS;

  findByHash(hash: string): Promise<ApiKey | null> {
    return this.first('WHERE key_hash = $1', hash);
  }

  /** In the order of their ids. */
  listOf(accountId: number): Promise<ApiKey[]> {
    return this.all('WHERE identity_id = $1 ORDER BY key_id', accountId);
  }

  /** Keys of an account, also those that are deactivated or expired. */
  countOf(accountId: number): Promise<number> {
    return this.count('identity_id = $1', accountId);
  }

  /** Keys of an account that are neither deactivated nor expired. */
  countActive(accountId: number, nowMs: number): Promise<number> {
    return this.count('identity_id = $1 AND is_active AND expires_at > $2', accountId, nowMs);
  }

  /** True if there is a key that opens something: neither it nor its account has ended. */
  isAnyUsable(nowMs: number): Promise<boolean> {
    return isThere(
      this.queries,
      `SELECT 1 FROM api_key AS key JOIN identity AS account USING (identity_id)
       WHERE key.is_active AND key.expires_at > $1 AND account.is_active LIMIT 1`,
      nowMs,
    );
  }
}

export class ApiKeyTable extends ApiKeyReader {
  create(key: NewApiKey): Promise<number> {
    return this.insert(key);
  }

  rename(keyId: number, name: string): Promise<void> {
    return this.change(keyId, { name });
  }

  setActive(keyId: number, isActive: boolean): Promise<void> {
    return this.change(keyId, { isActive });
  }

  delete(keyId: number): Promise<void> {
    return this.remove('key_id = $1', keyId);
  }
}
