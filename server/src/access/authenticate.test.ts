import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openControlStore } from '../open-store.ts';
import type { ControlStore } from '../store/control-store.ts';
import { UNLIMITED } from '../store/identities.ts';
import { generateKey, hashKey, keyReference } from './api-key.ts';
import { authenticate } from './authenticate.ts';

const KEYS = 100;
const EXPIRES_AT_MS = 1e15;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-authenticate-'));
let store: ControlStore;
const keys: string[] = [];
beforeAll(() => {
  store = openControlStore(folder);
  store.transaction(() => {
    const identityId = store.identities.create({
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
      store.keys.create({
        identityId,
        name: 'k',
        hash: hashKey(key),
        reference: keyReference(key),
        createdAtMs: 0,
        expiresAtMs: EXPIRES_AT_MS,
      });
    }
  });
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const near = (key: string) => `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;

/** The reads of the store when a key is looked up: the texts looked for, and the SQL that runs. */
function workOf(key: string) {
  const find = vi.spyOn(store.credentials, 'find');
  const reads = (['get', 'all'] as const).map((name) => vi.spyOn(StatementSync.prototype, name));
  try {
    // A right key is refused as well: all of them have expired by then.
    expect(() => authenticate(store, key, EXPIRES_AT_MS)).toThrow();
    const statements = reads.flatMap(({ mock }) =>
      mock.contexts.map((each) => (each as StatementSync).sourceSQL),
    );
    return { lookedFor: find.mock.calls, statements };
  } finally {
    vi.restoreAllMocks();
  }
}

describe('authenticate', () => {
  it('finds the caller of each key, and none for a key that differs in one character', () => {
    for (const key of keys) {
      expect(authenticate(store, ` ${key}\t`, 1).key.reference).toBe(key.slice(-4));
      expect(() => authenticate(store, near(key), 1)).toThrow('Invalid API key');
    }
  });

  it('does the same work for a wrong key as for a right one, however near it comes', () => {
    const [key] = keys as [string];
    authenticate(store, key, 1);
    const right = workOf(key);
    expect(right.statements).toHaveLength(1);
    for (const text of [key, near(key), generateKey()]) {
      const { lookedFor, statements } = workOf(text);
      expect(statements).toEqual(right.statements);
      // Near keys have hashes far apart, so how near one comes cannot show.
      expect(lookedFor).toEqual([[hashKey(text)]]);
    }
  });
});
