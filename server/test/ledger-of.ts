/** Every request that a store has counted of an account, oldest first. */
import { isDeepStrictEqual } from 'node:util';
import type { UsageAmounts } from '../src/store/quantities.ts';
import type { LedgerRow } from '../src/store/usage.ts';
import type { UsageReader } from '../src/store/usage-table.ts';
import { until } from './until.ts';

const ROWS_MAX = 10_000_000;

export function ledgerOf(
  usage: Pick<UsageReader, 'listLedger'>,
  accountId: number,
  fromMs = 0,
): Promise<LedgerRow[]> {
  const span = { accountId, fromMs, toMs: Number.MAX_SAFE_INTEGER };
  return usage.listLedger(span, 0, ROWS_MAX);
}

/** The ledger and the sums of one moment, whoever else writes to the store. */
export async function ledgerAndTotal(
  usage: Pick<UsageReader, 'listLedger' | 'total'>,
  accountId: number,
): Promise<{ records: LedgerRow[]; total: UsageAmounts }> {
  const totalNow = () => usage.total(accountId, { firstDay: '2000-01-01', lastDay: '2999-12-31' });
  let read = { records: [] as LedgerRow[], total: await totalNow() };
  await until(async () => {
    const records = await ledgerOf(usage, accountId);
    const total = await totalNow();
    const isOfOneMoment = isDeepStrictEqual(total, read.total);
    read = { records, total };
    return isOfOneMoment;
  });
  return read;
}
