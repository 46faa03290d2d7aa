/** The table of API keys. */
import type { ApiKey, HashedApiKey, NewApiKey } from '../api-keys.ts';
import type { Row, Statements } from './statements.ts';

function keyOf(row: Row): ApiKey {
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

export class ApiKeyTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  create(key: NewApiKey): number {
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

  find(keyId: number): ApiKey | null {
    const row = this.#statements.prepare('SELECT * FROM api_key WHERE key_id = ?').get(keyId);
    return row ? keyOf(row) : null;
  }

  findByHash(hash: string): ApiKey | null {
    const row = this.#statements
      .prepare('SELECT * FROM api_key WHERE key_hash = ?')
      .get(Buffer.from(hash, 'hex'));
    return row ? keyOf(row) : null;
  }

  /** The keys of an identity, each with the hash that it is found by. */
  listHashed(identityId: number): HashedApiKey[] {
    return this.#statements
      .prepare('SELECT * FROM api_key WHERE identity_id = ?')
      .all(identityId)
      .map((row) => ({
        hash: Buffer.from(row.key_hash as Uint8Array).toString('hex'),
        key: keyOf(row),
      }));
  }

  listOf(identityId: number): ApiKey[] {
    return this.#statements
      .prepare('SELECT * FROM api_key WHERE identity_id = ? ORDER BY key_id')
      .all(identityId)
      .map(keyOf);
  }

  /** Keys of an identity, whatever their state. */
  count(identityId: number): number {
    const row = this.#statements
      .prepare('SELECT count(*) AS n FROM api_key WHERE identity_id = ?')
      .get(identityId);
    return Number(row?.n);
  }

  /** Keys of an identity that are neither deactivated nor expired. */
  countActive(identityId: number, nowMs: number): number {
    const row = this.#statements
      .prepare(
        `SELECT count(*) AS n FROM api_key
         WHERE identity_id = ? AND is_active = 1 AND expires_at > ?`,
      )
      .get(identityId, nowMs);
    return Number(row?.n);
  }

  /** Whether there is a key that opens something: neither it nor its account has ended. */
  isAnyUsable(nowMs: number): boolean {
    const row = this.#statements
      .prepare(
        `SELECT 1 FROM api_key JOIN identity USING (identity_id)
         WHERE api_key.is_active = 1 AND api_key.expires_at > ? AND identity.is_active = 1 LIMIT 1`,
      )
      .get(nowMs);
    return row !== undefined;
  }

  rename(keyId: number, name: string): void {
    this.#statements.prepare('UPDATE api_key SET name = ? WHERE key_id = ?').run(name, keyId);
  }

  setActive(keyId: number, isActive: boolean): void {
    this.#statements
      .prepare('UPDATE api_key SET is_active = ? WHERE key_id = ?')
      .run(Number(isActive), keyId);
  }

  delete(keyId: number): void {
    this.#statements.prepare('DELETE FROM api_key WHERE key_id = ?').run(keyId);
  }
}
