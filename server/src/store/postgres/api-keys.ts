/** The table of API keys. */
import type { ApiKey, ApiKeyTable, NewApiKey } from '../api-keys.ts';
import { countOf, insertedId, isThere, type Queries, selected } from './queries.ts';

export const KEY_COLUMNS = selected({
  keyId: 'key_id',
  identityId: 'identity_id',
  name: 'name',
  reference: 'reference',
  createdAtMs: 'created_at',
  expiresAtMs: 'expires_at',
  lastUsedAtMs: 'last_used_at',
  isActive: 'is_active',
});

const KEYS = `SELECT ${KEY_COLUMNS} FROM ticklake.api_key`;

export class PostgresApiKeys implements ApiKeyTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  create(key: NewApiKey): Promise<number> {
    return insertedId(
      this.#queries,
      `INSERT INTO ticklake.api_key
         (identity_id, name, key_hash, reference, created_at, expires_at)
       VALUES ($1, $2, decode($3, 'hex'), $4, $5, $6) RETURNING key_id AS id`,
      key.identityId,
      key.name,
      key.hash,
      key.reference,
      key.createdAtMs,
      key.expiresAtMs,
    );
  }

  async find(keyId: number): Promise<ApiKey | null> {
    return (await this.#queries.get<ApiKey>(`${KEYS} WHERE key_id = $1`, keyId)) ?? null;
  }

  async findByHash(hash: string): Promise<ApiKey | null> {
    const sql = `${KEYS} WHERE key_hash = decode($1, 'hex')`;
    return (await this.#queries.get<ApiKey>(sql, hash)) ?? null;
  }

  listOf(identityId: number): Promise<ApiKey[]> {
    return this.#queries.all(`${KEYS} WHERE identity_id = $1 ORDER BY key_id`, identityId);
  }

  count(identityId: number): Promise<number> {
    const sql = 'SELECT count(*) FROM ticklake.api_key WHERE identity_id = $1';
    return countOf(this.#queries, sql, identityId);
  }

  countActive(identityId: number, nowMs: number): Promise<number> {
    return countOf(
      this.#queries,
      `SELECT count(*) FROM ticklake.api_key
       WHERE identity_id = $1 AND is_active AND expires_at > $2`,
      identityId,
      nowMs,
    );
  }

  isAnyUsable(nowMs: number): Promise<boolean> {
    return isThere(
      this.#queries,
      `SELECT 1 FROM ticklake.api_key AS key JOIN ticklake.identity AS account USING (identity_id)
       WHERE key.is_active AND key.expires_at > $1 AND account.is_active LIMIT 1`,
      nowMs,
    );
  }

  async rename(keyId: number, name: string): Promise<void> {
    await this.#queries.run('UPDATE ticklake.api_key SET name = $1 WHERE key_id = $2', name, keyId);
  }

  async setActive(keyId: number, isActive: boolean): Promise<void> {
    const sql = 'UPDATE ticklake.api_key SET is_active = $1 WHERE key_id = $2';
    await this.#queries.run(sql, isActive, keyId);
  }

  async delete(keyId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.api_key WHERE key_id = $1', keyId);
  }
}
