/**
 * The control store: who may read what. Identities, their API keys (as hashes) and their dataset
 * access rules, in one SQLite file that the server and the command line may open side by side.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from './database.ts';

const MIGRATIONS = [
  `
  CREATE TABLE identity (
    identity_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    max_active_api_keys INTEGER NOT NULL,
    ip_subnets TEXT NOT NULL DEFAULT '[]',
    is_active INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE api_key (
    key_id INTEGER PRIMARY KEY,
    identity_id INTEGER NOT NULL REFERENCES identity,
    name TEXT NOT NULL,
    key_hash BLOB NOT NULL UNIQUE,
    reference TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER,
    is_active INTEGER NOT NULL DEFAULT 1
  ) STRICT;
  CREATE INDEX api_key_of_identity ON api_key (identity_id);
  CREATE TABLE access_rule (
    rule_id INTEGER PRIMARY KEY,
    identity_id INTEGER NOT NULL REFERENCES identity,
    dataset_id TEXT NOT NULL,
    start_date TEXT NOT NULL,
    end_date TEXT,
    universe TEXT NOT NULL DEFAULT '[]',
    UNIQUE (identity_id, dataset_id)
  ) STRICT;
  `,
];

export interface Identity {
  readonly identityId: number;
  readonly name: string;
  readonly maxActiveApiKeys: number;
  /** CIDR subnets. */
  readonly ipSubnets: readonly string[];
  readonly isActive: boolean;
}

/** Times in epoch milliseconds. */
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

export interface AccessRule {
  readonly datasetId: string;
  /** First and last date, `YYYY-MM-DD`, both inclusive; null: open-ended. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** Empty: every identifier. */
  readonly universe: readonly string[];
}

type Row = Record<string, unknown>;

function identityOf(row: Row): Identity {
  return {
    identityId: Number(row.identity_id),
    name: String(row.name),
    maxActiveApiKeys: Number(row.max_active_api_keys),
    ipSubnets: JSON.parse(String(row.ip_subnets)),
    isActive: row.is_active === 1,
  };
}

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

function ruleOf(row: Row): AccessRule {
  return {
    datasetId: String(row.dataset_id),
    startDate: String(row.start_date),
    endDate: row.end_date === null ? null : String(row.end_date),
    universe: JSON.parse(String(row.universe)),
  };
}

export class ControlStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#database = openDatabase(path, MIGRATIONS);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  createIdentity(identity: {
    name: string;
    maxActiveApiKeys: number;
    createdAtMs: number;
  }): number {
    const { lastInsertRowid } = this.#prepare(
      'INSERT INTO identity (name, max_active_api_keys, created_at) VALUES (?, ?, ?)',
    ).run(identity.name, identity.maxActiveApiKeys, identity.createdAtMs);
    return Number(lastInsertRowid);
  }

  findIdentity(identityId: number): Identity | null {
    const row = this.#prepare('SELECT * FROM identity WHERE identity_id = ?').get(identityId);
    return row ? identityOf(row) : null;
  }

  findIdentityByName(name: string): Identity | null {
    const row = this.#prepare(
      'SELECT * FROM identity WHERE name = ? ORDER BY identity_id LIMIT 1',
    ).get(name);
    return row ? identityOf(row) : null;
  }

  setIdentityActive(identityId: number, isActive: boolean): void {
    this.#prepare('UPDATE identity SET is_active = ? WHERE identity_id = ?').run(
      isActive ? 1 : 0,
      identityId,
    );
  }

  createKey(key: {
    identityId: number;
    name: string;
    hash: Uint8Array;
    reference: string;
    createdAtMs: number;
    expiresAtMs: number;
  }): number {
    const { lastInsertRowid } = this.#prepare(
      `INSERT INTO api_key (identity_id, name, key_hash, reference, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ).run(key.identityId, key.name, key.hash, key.reference, key.createdAtMs, key.expiresAtMs);
    return Number(lastInsertRowid);
  }

  findKeyByHash(hash: Uint8Array): ApiKey | null {
    const row = this.#prepare('SELECT * FROM api_key WHERE key_hash = ?').get(hash);
    return row ? keyOf(row) : null;
  }

  listKeys(identityId: number): ApiKey[] {
    return this.#prepare('SELECT * FROM api_key WHERE identity_id = ? ORDER BY key_id')
      .all(identityId)
      .map(keyOf);
  }

  setKeyActive(keyId: number, isActive: boolean): void {
    this.#prepare('UPDATE api_key SET is_active = ? WHERE key_id = ?').run(isActive ? 1 : 0, keyId);
  }

  setKeyUsed(keyId: number, usedAtMs: number): void {
    this.#prepare('UPDATE api_key SET last_used_at = ? WHERE key_id = ?').run(usedAtMs, keyId);
  }

  deleteKey(keyId: number): void {
    this.#prepare('DELETE FROM api_key WHERE key_id = ?').run(keyId);
  }

  /** Adds a rule, or replaces the one of the same dataset. */
  setRule(identityId: number, rule: AccessRule): void {
    this.#prepare(
      `INSERT INTO access_rule (identity_id, dataset_id, start_date, end_date, universe)
       VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (identity_id, dataset_id) DO UPDATE SET
         start_date = excluded.start_date, end_date = excluded.end_date,
         universe = excluded.universe`,
    ).run(identityId, rule.datasetId, rule.startDate, rule.endDate, JSON.stringify(rule.universe));
  }

  findRule(identityId: number, datasetId: string): AccessRule | null {
    const row = this.#prepare(
      'SELECT * FROM access_rule WHERE identity_id = ? AND dataset_id = ?',
    ).get(identityId, datasetId);
    return row ? ruleOf(row) : null;
  }

  listRules(identityId: number): AccessRule[] {
    return this.#prepare('SELECT * FROM access_rule WHERE identity_id = ? ORDER BY dataset_id')
      .all(identityId)
      .map(ruleOf);
  }

  deleteRule(identityId: number, datasetId: string): void {
    this.#prepare('DELETE FROM access_rule WHERE identity_id = ? AND dataset_id = ?').run(
      identityId,
      datasetId,
    );
  }

  close(): void {
    this.#database.close();
  }
}
