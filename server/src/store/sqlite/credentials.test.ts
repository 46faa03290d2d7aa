import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../identities.ts';
import { SqliteControlStore } from './control-store.ts';
import { openDatabase } from './database.ts';
import { MIGRATIONS } from './schema.ts';

const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);
const NOW_MS = Date.parse('2025-06-20T16:00:00Z');

let folder: string;
/** The store of a server, and the same file as another process has it open. */
let store: SqliteControlStore;
let elsewhere: SqliteControlStore;
let identityId: number;
let keyId: number;

function createKey(into: SqliteControlStore, hash: string): number {
  const times = { createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1e6 };
  return into.keys.create({ identityId, name: 'key', hash, reference: 'abcd', ...times });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-store-'));
  store = new SqliteControlStore(join(folder, 'control.db'));
  elsewhere = new SqliteControlStore(join(folder, 'control.db'));
  identityId = store.identities.create({
    name: 'one',
    isAdmin: false,
    maxActiveApiKeys: 3,
    ipSubnets: [],
    limits: UNLIMITED,
    createdAtMs: NOW_MS,
  });
  keyId = createKey(store, HASH);
});
afterEach(() => {
  store.close();
  elsewhere.close();
  rmSync(folder, { recursive: true });
});

describe('credentials', () => {
  for (const where of ['here', 'elsewhere'] as const) {
    const changed = () => (where === 'here' ? store : elsewhere);

    it(`follow every change of key and identity that is made ${where}`, () => {
      expect(store.credentials.find(HASH)?.key).toMatchObject({ keyId, isActive: true });
      changed().keys.setActive(keyId, false);
      expect(store.credentials.find(HASH)?.key.isActive).toBe(false);
      changed().keys.rename(keyId, 'renamed');
      expect(store.credentials.find(HASH)?.key.name).toBe('renamed');
      changed().identities.update(identityId, { isActive: false, ipSubnets: ['10.0.0.0/8'] });
      expect(store.credentials.find(HASH)?.identity).toMatchObject({
        isActive: false,
        ipSubnets: ['10.0.0.0/8'],
      });
      changed().keys.delete(keyId);
      expect(store.credentials.find(HASH)).toBeNull();
    });

    it(`know a key from the moment it is created ${where}`, () => {
      expect(store.credentials.find(OTHER_HASH)).toBeNull();
      const otherId = createKey(changed(), OTHER_HASH);
      expect(store.credentials.find(OTHER_HASH)?.key.keyId).toBe(otherId);
    });
  }

  it('do not follow a change that was taken back', () => {
    expect(store.credentials.find(HASH)?.key.isActive).toBe(true);
    const change = () =>
      store.transaction(() => {
        store.keys.setActive(keyId, false);
        throw new Error('taken back');
      });
    expect(change).toThrow('taken back');
    expect(store.credentials.find(HASH)?.key.isActive).toBe(true);
  });

  it('are not read again because keys were used', () => {
    const credential = store.credentials.find(HASH);
    const usage = {
      answeredAtMs: NOW_MS,
      requestId: 'request',
      identityId,
      keyId,
      datasetId: '',
      datasetVersion: null,
      countsInMinute: true,
      rowCount: 0,
      scannedBytes: 0,
      returnedBytes: 0,
      durationMs: 1,
      status: 200,
    };
    for (const each of [store, elsewhere]) each.transaction(() => each.usage.add([usage]));
    expect(store.credentials.find(HASH)).toBe(credential);
    expect(store.keys.find(keyId)?.lastUsedAtMs).toBe(NOW_MS);
  });

  it('need one row for each identity, however often it changes', () => {
    for (let i = 0; i < 20; i++) elsewhere.keys.rename(keyId, `name ${i}`);
    expect(store.credentials.find(HASH)?.key.name).toBe('name 19');
    for (let i = 0; i < 20; i++) store.identities.update(identityId, { maxActiveApiKeys: i });
    expect(store.credentials.find(HASH)?.identity.maxActiveApiKeys).toBe(19);
    const database = openDatabase(join(folder, 'control.db'), MIGRATIONS);
    const { n } = database.prepare('SELECT count(*) AS n FROM credential_change').get() ?? {};
    database.close();
    expect(n).toBe(1);
  });
});

it('a store with a longer log of changes keeps the newest of each identity', () => {
  const path = join(folder, 'old.db');
  const old = openDatabase(path, MIGRATIONS.slice(0, 2));
  old.exec('INSERT INTO credential_change (identity_id) VALUES (1), (2), (1), (1), (2), (3)');
  old.close();
  const database = openDatabase(path, MIGRATIONS);
  const rows = database.prepare('SELECT * FROM credential_change ORDER BY change_id').all();
  database.close();
  expect(rows.map(({ change_id, identity_id }) => [change_id, identity_id])).toEqual([
    [4, 1],
    [5, 2],
    [6, 3],
  ]);
});
