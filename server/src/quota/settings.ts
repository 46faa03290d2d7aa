/** Settings of quotas and of the ledger of what was used. */
import { choice, integer, setting } from '../schema/setting.ts';

export const QUOTA_SETTINGS = {
  retryAfter: setting(
    'TICKLAKE_RETRY_AFTER',
    choice('off', 'on'),
    'off',
    'Whether a 429 has a `Retry-After` header, spread over a few seconds so that clients do not all return at once.',
  ),
  ledgerDays: setting(
    'TICKLAKE_LEDGER_DAYS',
    integer(1, 36_500),
    90,
    'Days that the usage ledger keeps a row for each request; daily totals are kept for good.',
  ),
};
