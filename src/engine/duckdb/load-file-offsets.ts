/** SQL that turns market-local times into UTC, with the same offsets as `market-time.ts`. */
import type { TimeZone } from '../../catalog/dataset.ts';
import { offsetChanges } from '../../time/market-time.ts';

const NANO_DIGITS = '000000000';

interface OffsetStep {
  /** Local wall-clock seconds since 1970 from which on the offset holds. */
  readonly localSeconds: number;
  readonly offsetSeconds: number;
}

/**
 * The offset as a step function of local time. At each change the old offset holds up to the later
 * of the two clocks' readings: so a time shown twice is the earlier one, and a skipped one is read
 * with the offset before the skip.
 */
function localSteps(zone: TimeZone): OffsetStep[] {
  const changes = offsetChanges(zone);
  return changes.map(({ startSeconds, offsetSeconds }, i) => {
    const before = changes[i - 1]?.offsetSeconds ?? offsetSeconds;
    return { localSeconds: startSeconds + Math.max(before, offsetSeconds), offsetSeconds };
  });
}

function searchSql(steps: readonly OffsetStep[], local: string): string {
  if (steps.length === 1) return `${steps[0]?.offsetSeconds}`;
  const middle = steps.length >> 1;
  const before = searchSql(steps.slice(0, middle), local);
  const after = searchSql(steps.slice(middle), local);
  const split = `${steps[middle]?.localSeconds}${NANO_DIGITS}`;
  return `CASE WHEN ${local} < ${split} THEN ${before} ELSE ${after} END`;
}

/**
 * SQL for the market's offset from UTC in seconds at a local time. `local` is a column of local
 * nanoseconds since 1970, named and not computed, because it stands in the text many times. A
 * vector of times close to each other takes the same ten branches, so this costs less than a join.
 */
export function marketOffsetSql(zone: TimeZone, local: string): string {
  return searchSql(localSteps(zone), local);
}
