/** API keys, kept as hashes. */
import type { Account } from './accounts.ts';
import { countOf, insertedId, isThere, type Queries, selected } from './queries.ts';

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

export const KEY_COLUMNS = selected({
  keyId: 'key_id',
  accountId: 'identity_id',
  name: 'name',
  reference: 'reference',
  createdAtMs: 'created_at',
  expiresAtMs: 'expires_at',
  lastUsedAtMs: 'last_used_at',
  isActive: 'is_active',
});

const KEYS = `SELECT ${KEY_COLUMNS} FROM api_key`;

export class ApiKeyReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async find(keyId: number): Promise<ApiKey | null> {
    return (await this.queries.get<ApiKey>(`${KEYS} WHERE key_id = $1`, keyId)) ?? null;
  }

  async findByHash(hash: string): Promise<ApiKey | null> {
    return (await this.queries.get<ApiKey>(`${KEYS} WHERE key_hash = $1`, hash)) ?? null;
  }

  /** In the order of their ids. */
  listOf(accountId: number): Promise<ApiKey[]> {
    return this.queries.all(`${KEYS} WHERE identity_id = $1 ORDER BY key_id`, accountId);
  }

  /** Keys of an account, whatever their state. */
  count(accountId: number): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM api_key WHERE identity_id = $1';
    return countOf(this.queries, sql, accountId);
  }

  /** Keys of an account that are neither deactivated nor expired. */
  countActive(accountId: number, nowMs: number): Promise<number> {
    return countOf(
      this.queries,
      `SELECT count(*) AS count FROM api_key
       WHERE identity_id = $1 AND is_active AND expires_at > $2`,
      accountId,
      nowMs,
    );
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
  /** Returns the id, which no other key has had. */
  create(key: NewApiKey): Promise<number> {
    return insertedId(
      this.queries,
      `INSERT INTO api_key (identity_id, name, key_hash, reference, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING key_id AS id`,
      key.accountId,
      key.name,
      key.hash,
      key.reference,
      key.createdAtMs,
      key.expiresAtMs,
    );
  }

  async rename(keyId: number, name: string): Promise<void> {
    await this.queries.run('UPDATE api_key SET name = $1 WHERE key_id = $2', name, keyId);
  }

  async setActive(keyId: number, isActive: boolean): Promise<void> {
    await this.queries.run('UPDATE api_key SET is_active = $1 WHERE key_id = $2', isActive, keyId);
  }

  async delete(keyId: number): Promise<void> {
    await this.queries.run('DELETE FROM api_key WHERE key_id = $1', keyId);
  }
}
