/** The demo identity: entitled to every dataset, its key kept in a file that only its owner reads. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKey, hashKey, keyReference, keyStatus } from '../access/api-key.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { ControlStore } from '../store/control-store.ts';
import { UNLIMITED } from '../store/identities.ts';

const DEMO_NAME = 'demo';
const MAX_ACTIVE_KEYS = 5;
const KEY_LIFETIME_MS = 10 * 365 * 86_400_000;
/** Before any US market data that a person may load. */
const FIRST_DATE = '1900-01-01';

function demoIdentityId(store: ControlStore, nowMs: number): number {
  const existing = store.identities.findByName(DEMO_NAME);
  if (existing) return existing.identityId;
  return store.identities.create({
    name: DEMO_NAME,
    isAdmin: false,
    maxActiveApiKeys: MAX_ACTIVE_KEYS,
    ipSubnets: [],
    limits: UNLIMITED,
    createdAtMs: nowMs,
  });
}

function keptKey(store: ControlStore, file: string, nowMs: number): string | null {
  if (!existsSync(file)) return null;
  const key = readFileSync(file, 'utf8').trim();
  const record = store.keys.findByHash(hashKey(key));
  return record && keyStatus(record, nowMs) === 'active' ? key : null;
}

/**
 * Makes sure that the demo identity exists, may read every dataset of the catalogue and has a live
 * key in `<home>/demo-key` (mode 0600). Returns the key.
 */
export function prepareDemoAccount(
  store: ControlStore,
  catalog: Catalog,
  home: string,
  nowMs: number,
): string {
  const identityId = demoIdentityId(store, nowMs);
  const entitledIds = new Set(store.rules.listOf(identityId).map((rule) => rule.datasetId));
  for (const { datasetId } of catalog.datasets) {
    if (entitledIds.has(datasetId)) continue;
    store.rules.add({ identityId, datasetId, startDate: FIRST_DATE, endDate: null, universe: [] });
  }
  const file = join(home, 'demo-key');
  const kept = keptKey(store, file, nowMs);
  if (kept !== null) return kept;
  const key = generateKey();
  store.keys.create({
    identityId,
    name: 'demo key',
    hash: hashKey(key),
    reference: keyReference(key),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + KEY_LIFETIME_MS,
  });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}
