/** How long and how many queries run, whichever engine runs them. */
import { integer, setting } from '../schema/setting.ts';

const MINUTE_MS = 60_000;

export const QUERY_SETTINGS = {
  queryTimeoutMs: setting(
    'TICKLAKE_QUERY_TIMEOUT_MS',
    integer(10, 60 * MINUTE_MS),
    MINUTE_MS,
    'Time after which a query is stopped and answered with a 504.',
  ),
  queriesMax: setting(
    'TICKLAKE_QUERIES_MAX',
    integer(1, 256),
    3,
    'Queries that run at the same time; busy accounts share them equally.',
  ),
};

/** Queries that may wait for their turn; past that, a 503. */
export const QUERY_LIMITS = { queueMax: 256, queuePerAccountMax: 128 };
