/** The state of an account. */
import type { Account } from '../store/accounts.ts';

export const ACCOUNT_STATUSES = ['active', 'deactivated', 'ended'] as const;
/** `ended`: its contract is over. */
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export function accountStatus(
  { isActive, contractEndsAtMs }: Pick<Account, 'isActive' | 'contractEndsAtMs'>,
  nowMs: number,
): AccountStatus {
  if (!isActive) return 'deactivated';
  return contractEndsAtMs !== null && nowMs >= contractEndsAtMs ? 'ended' : 'active';
}
