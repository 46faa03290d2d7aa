import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { keyHashOf, requireLiveKey } from '../../src/access/authenticate.ts';
import { openControlStore } from '../../src/open-home.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { ControlStore } from '../../src/store/control-store.ts';

const KEYS = 100;
const EXPIRES_AT_MS = 1e15;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-authenticate-'));
let store: ControlStore;
const keys: string[] = [];
beforeAll(async () => {
  store = await openControlStore({ home: folder });
  await store.transaction(async (tx) => {
    const accountId = await tx.accounts.create({
      name: 'a',
      isAdmin: false,
      maxActiveApiKeys: KEYS,
      ipSubnets: [],
      limits: UNLIMITED,
      createdAtMs: 0,
    });
    for (let i = 0; i < KEYS; i++) {
      const key = generateKey();
      keys.push(key);
      await tx.keys.create({
        accountId,
        name: 'k',
        hash: hashKey(key),
        reference: keyReference(key),
        createdAtMs: 0,
        expiresAtMs: EXPIRES_AT_MS,
      });
    }
  });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const near = (key: string) => `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;

async function authenticate(header: string, nowMs: number) {
  await store.catchUp();
  return requireLiveKey(store.replica.findCredential(keyHashOf(header)), nowMs);
}

/** The reads of the store when a key is looked up: the texts looked for, and the SQL that runs. */
async function workOf(key: string) {
  const find = vi.spyOn(store.replica, 'findCredential');
  const reads = (['get', 'all'] as const).map((name) => vi.spyOn(StatementSync.prototype, name));
  try {
    // A right key is refused as well: all of them have expired by then.
    await expect(authenticate(key, EXPIRES_AT_MS)).rejects.toThrow();
    const statements = reads.flatMap(({ mock }) =>
      mock.contexts.map((each) => (each as StatementSync).sourceSQL),
    );
    return { lookedFor: find.mock.calls, statements };
  } finally {
    vi.restoreAllMocks();
  }
}

describe('a caller with a key', () => {
  it('is found by each key, and by none that differs in one character', async () => {
    for (const key of keys) {
      expect((await authenticate(` ${key}\t`, 1)).key.reference).toBe(key.slice(-4));
      await expect(authenticate(near(key), 1)).rejects.toThrow('Invalid API key');
    }
  });

  it('takes the same work with a wrong key as with a right one, however near it comes', async () => {
    const [key] = keys as [string];
    await authenticate(key, 1);
    const right = await workOf(key);
    expect(right.statements).toHaveLength(1);
    for (const text of [key, near(key), generateKey()]) {
      const { lookedFor, statements } = await workOf(text);
      expect(statements).toEqual(right.statements);
      // Near keys have hashes far apart, so how near one comes cannot show.
      expect(lookedFor).toEqual([[hashKey(text)]]);
    }
  });
});
