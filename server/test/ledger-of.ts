/** Every request that a store has counted of an account, oldest first. */
import type { LedgerRow } from '../src/store/usage.ts';
import type { UsageReader } from '../src/store/usage-table.ts';

const ROWS_MAX = 10_000_000;

export function ledgerOf(
  usage: Pick<UsageReader, 'listLedger'>,
  accountId: number,
  fromMs = 0,
): Promise<LedgerRow[]> {
  const span = { accountId, fromMs, toMs: Number.MAX_SAFE_INTEGER };
  return usage.listLedger(span, 0, ROWS_MAX);
}
