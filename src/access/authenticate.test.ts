import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlStore } from '../store/control-store.ts';
import { UNLIMITED } from '../store/identities.ts';
import { generateKey, hashKey, keyReference } from './api-key.ts';
import { authenticate } from './authenticate.ts';

const KEYS = 2000;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-authenticate-'));
let store: ControlStore;
const keys: string[] = [];
beforeAll(() => {
  store = new ControlStore(join(folder, 'control.db'));
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
        expiresAtMs: 1e15,
      });
    }
  });
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

/** Milliseconds that looking up takes, of what each key is made into. */
function lookUpMs(header: (key: string) => string): number {
  const texts = keys.map(header);
  const beginMs = performance.now();
  for (const text of texts) store.credentials.find(hashKey(text));
  return performance.now() - beginMs;
}

describe('authenticate', () => {
  it('finds the caller of each key, and none for a key that differs in one character', () => {
    for (const key of keys.slice(0, 100)) {
      expect(authenticate(store, ` ${key}\t`, 1).key.reference).toBe(key.slice(-4));
      const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
      expect(() => authenticate(store, wrong, 1)).toThrow('Invalid API key');
    }
  });

  it('looks a wrong key up in about the same time as a right one, however near it comes', () => {
    const near = (key: string) => `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    const kinds = { right: (key: string) => key, near, far: () => generateKey() };
    const fastest = { right: Infinity, near: Infinity, far: Infinity };
    for (let round = 0; round < 20; round++) {
      for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
        fastest[kind] = Math.min(fastest[kind], lookUpMs(kinds[kind]));
      }
    }
    const times = Object.values(fastest);
    expect(Math.max(...times) / Math.min(...times)).toBeLessThan(2);
  });
});
