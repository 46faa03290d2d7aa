/** The table of API keys. */
import type { ApiKey, ApiKeyTable, NewApiKey } from '../api-keys.ts';
import type { Row, StatementSource } from './statements.ts';

export function keyOf(row: Row): ApiKey {
  return {
    keyId: Number(row.key_id),
    identityId: Number(row.identity_id),
    name: String(row.name),
    reference: String(row.reference),
    createdAtMs: Number(row.created_at),
    expiresAtMs: Number(row.expires_at),
    lastUsedAtMs: row.last_used_at === null ? null : Number(row.last_used_at),
    isActive: row.is_active === 1,
  };
}

export class SqliteApiKeys implements ApiKeyTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async create(key: NewApiKey): Promise<number> {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO api_key (identity_id, name, key_hash, reference, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(
        key.identityId,
        key.name,
        Buffer.from(key.hash, 'hex'),
        key.reference,
        key.createdAtMs,
        key.expiresAtMs,
      );
    return Number(lastInsertRowid);
  }

  async find(keyId: number): Promise<ApiKey | null> {
    const row = this.#statements.prepare('SELECT * FROM api_key WHERE key_id = ?').get(keyId);
    return row ? keyOf(row) : null;
  }

  async listOf(identityId: number): Promise<ApiKey[]> {
    return this.#statements
      .prepare('SELECT * FROM api_key WHERE identity_id = ? ORDER BY key_id')
      .all(identityId)
      .map(keyOf);
  }

  async count(identityId: number): Promise<number> {
    const row = this.#statements
      .prepare('SELECT count(*) AS n FROM api_key WHERE identity_id = ?')
      .get(identityId);
    return Number(row?.n);
  }

  async countActive(identityId: number, nowMs: number): Promise<number> {
    const row = this.#statements
      .prepare(
        `SELECT count(*) AS n FROM api_key
         WHERE identity_id = ? AND is_active = 1 AND expires_at > ?`,
      )
      .get(identityId, nowMs);
    return Number(row?.n);
  }

  async isAnyUsable(nowMs: number): Promise<boolean> {
    const row = this.#statements
      .prepare(
        `SELECT 1 FROM api_key JOIN identity USING (identity_id)
         WHERE api_key.is_active = 1 AND api_key.expires_at > ? AND identity.is_active = 1 LIMIT 1`,
      )
      .get(nowMs);
    return row !== undefined;
  }

  async rename(keyId: number, name: string): Promise<void> {
    this.#statements.prepare('UPDATE api_key SET name = ? WHERE key_id = ?').run(name, keyId);
  }

  async setActive(keyId: number, isActive: boolean): Promise<void> {
    this.#statements
      .prepare('UPDATE api_key SET is_active = ? WHERE key_id = ?')
      .run(Number(isActive), keyId);
  }

  async delete(keyId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM api_key WHERE key_id = ?').run(keyId);
  }
}
