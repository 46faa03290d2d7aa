/** A service whose account has the limits that a test gives it. */
import type { Config } from '../../src/config.ts';
import { type QuotaAmounts, type QuotaSpan, UNLIMITED } from '../../src/store/identities.ts';
import type { UsageAmounts, UsageRecord } from '../../src/store/usage.ts';
import { openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';

export type Quantity = keyof UsageAmounts;

export const NOTHING: UsageAmounts = { requests: 0, scannedBytes: 0, returnedBytes: 0 };

export interface QuotaService extends TestService {
  limit(span: QuotaSpan, amounts: Partial<QuotaAmounts>): void;
  used(): Readonly<Record<QuotaSpan, UsageAmounts>>;
  /** The ledger rows that are in the store. */
  ledger(): UsageRecord[];
}

export async function openQuotaService(settings: Partial<Config> = {}): Promise<QuotaService> {
  const service = await openContractService(settings);
  const { identityId, services } = service;
  return {
    ...service,
    limit: (span, amounts) =>
      services.store.identities.update(identityId, {
        limits: { ...UNLIMITED, [span]: { ...UNLIMITED[span], ...amounts } },
      }),
    used: () => services.usage.used(identityId),
    ledger: () => services.store.usage.listLedger(identityId, 0, 1_000_000),
  };
}

export function sumOf(records: readonly UsageRecord[]): UsageAmounts {
  return {
    requests: records.length,
    scannedBytes: records.reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
    returnedBytes: records.reduce((sum, { returnedBytes }) => sum + returnedBytes, 0),
  };
}
