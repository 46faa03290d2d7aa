/** Records for tests of stores, each unlike the others. */

import { type NewAccount, UNLIMITED } from '../../../src/store/accounts.ts';
import type { StoreTransaction } from '../../../src/store/control-store.ts';
import type { NewOffer } from '../../../src/store/offers.ts';
import type { UsageRecord } from '../../../src/store/usage.ts';

export const NOW_MS = Date.parse('2026-11-20T20:00:00Z');

let serial = 0;

export function newAccount(changes: Partial<NewAccount> = {}): NewAccount {
  serial++;
  return {
    name: `account ${serial}`,
    isAdmin: false,
    maxActiveApiKeys: 3,
    ipSubnets: ['10.0.0.0/8'],
    limits: UNLIMITED,
    createdAtMs: NOW_MS,
    ...changes,
  };
}

/** A hash that no other key or session has. */
export function newHash(): string {
  serial++;
  return `${serial}`.padStart(64, '0');
}

export function newKey(accountId: number, hash = newHash()) {
  const times = { createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1000 };
  return { accountId, name: 'key', hash, reference: 'abcd', ...times };
}

export function newOwner(changes: { email?: string; accountId?: number | null } = {}) {
  serial++;
  const email = `person${serial}@example.com`;
  const rest = { passwordHash: 'a hash', createdAtMs: NOW_MS, accountId: null };
  return { email, role: 'owner' as const, ...rest, ...changes };
}

export function newOffer(changes: Partial<NewOffer> = {}): NewOffer {
  serial++;
  const end = { contractEndsAtMs: null, contractDays: null };
  return { name: `offer ${serial}`, limits: UNLIMITED, ...end, createdAtMs: NOW_MS, ...changes };
}

export function newRule(accountId: number, datasetId = 'US9001', startDate = '2020-01-01') {
  const terms = { startDate, endDate: null, universe: ['AAA', 'ÄÖ'], columns: ['Ticker', 'Price'] };
  return { accountId, datasetId, ...terms };
}

export function usageOf(accountId: number, changes: Partial<UsageRecord> = {}): UsageRecord {
  return {
    answeredAtMs: NOW_MS,
    requestId: 'request',
    accountId,
    keyId: 0,
    datasetId: 'US9001',
    datasetVersion: 2,
    countsInMinute: true,
    rowCount: 5,
    scannedBytes: 2 ** 40,
    returnedBytes: 100,
    durationMs: 1.5,
    path: '/v1/data/us-equity/eq-taq',
    reason: '',
    status: 200,
    symbols: ['AAA', '12'],
    ...changes,
  };
}

/** An account with a key, a rule and an offer with its own rule, and an owner with a session. */
export async function fill(tx: StoreTransaction) {
  const offerId = await tx.offers.create(newOffer());
  const { accountId: _, ...terms } = newRule(0, 'US9001', '2019-01-01');
  const offeredRuleId = await tx.rules.add({ offerId, ...terms });
  const offer = { offerId, givenAtMs: NOW_MS };
  const accountId = await tx.accounts.create(newAccount({ offer }));
  const [hash, tokenHash] = [newHash(), newHash()];
  const keyId = await tx.keys.create(newKey(accountId, hash));
  const ruleId = await tx.rules.add(newRule(accountId));
  const personId = await tx.people.create(newOwner({ accountId }));
  await tx.sessions.create({ tokenHash, personId, createdAtMs: NOW_MS });
  return { accountId, keyId, hash, ruleId, personId, tokenHash, offerId, offeredRuleId };
}
