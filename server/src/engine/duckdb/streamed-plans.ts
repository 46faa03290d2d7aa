/** Which plans are streamed, so that what is held of them does not grow with their rows. */
import type { QueryPlan } from '../query-plan.ts';

/**
 * More than any page has. A result of fewer rows is computed first and then handed out, which takes
 * less time and lets the next page begin earlier.
 */
const ROWS_AT_ONCE_MAX = 100_000;

export function isStreamed({ limit }: QueryPlan): boolean {
  return limit > ROWS_AT_ONCE_MAX;
}
