/** What accounts that administer may not have. */
import { ApiError } from '../base/errors.ts';
import type { Identity } from '../store/identities.ts';

/** Throws an ApiError 'conflict' so that nobody is locked out of the administration by a date. */
export function requireNoAdminTerms({
  isAdmin,
  contractEndsAtMs,
  offer,
}: Pick<Identity, 'isAdmin' | 'contractEndsAtMs' | 'offer'>): void {
  if (!isAdmin || (contractEndsAtMs === null && offer === null)) return;
  throw new ApiError(
    'conflict',
    "An administrator's account can have neither a plan nor an end of contract",
  );
}
