/** A service whose account has the limits that a test gives it. */

import { randomUUID } from 'node:crypto';
import type { Config } from '../../src/settings/config.ts';
import { type QuotaAmounts, UNLIMITED } from '../../src/store/accounts.ts';
import { type QuotaSpan, STEP_STATUS, type UsageAmounts } from '../../src/store/quantities.ts';
import type { UsageRecord } from '../../src/store/usage.ts';
import { openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';
import { ledgerOf } from '../ledger-of.ts';
import { writing } from '../writing.ts';

export type Quantity = keyof UsageAmounts;

export const NOTHING: UsageAmounts = { requests: 0, scannedBytes: 0, returnedBytes: 0 };

export interface QuotaService extends TestService {
  limit(span: QuotaSpan, amounts: Partial<QuotaAmounts>): Promise<void>;
  used(): Promise<Readonly<Record<QuotaSpan, UsageAmounts>>>;
  /** The ledger rows that are in the store. */
  ledger(): Promise<UsageRecord[]>;
}

/** Rules, as the harness gives them to its own account. */
async function allowEverything({ services, addAccount }: TestService) {
  const { accountId, key } = await addAccount(`account ${randomUUID()}`);
  await services.store.transaction(async ({ rules }) => {
    for (const { datasetId } of services.catalog.datasets) {
      const window = { startDate: '1900-01-01', endDate: null };
      await rules.add({ accountId, datasetId, ...window, universe: [] });
    }
  });
  return { accountId, key };
}

/** `service` as a new account uses it, with the clock back at its start. */
export async function asNewAccount(service: TestService): Promise<QuotaService> {
  const { services, clock, app } = service;
  clock.set('2025-06-20T16:00:00Z');
  const { accountId, key } = await allowEverything(service);
  return {
    ...service,
    accountId,
    key,
    get: (url, headers = {}) => app.inject({ url, headers: { 'x-api-key': key, ...headers } }),
    limit: (span, amounts) =>
      writing(services.store).accounts.update(accountId, {
        limits: { ...UNLIMITED, [span]: { ...UNLIMITED[span], ...amounts } },
      }),
    used: () => services.usage.counters.read(accountId),
    ledger: () => ledgerOf(services.store.usage, accountId),
  };
}

export async function openQuotaService(settings: Partial<Config> = {}): Promise<QuotaService> {
  return asNewAccount(await openContractService(settings));
}

export function sumOf(records: readonly UsageRecord[]): UsageAmounts {
  return {
    requests: records.filter(({ status }) => status !== STEP_STATUS).length,
    scannedBytes: records.reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
    returnedBytes: records.reduce((sum, { returnedBytes }) => sum + returnedBytes, 0),
  };
}
