/** SQL for the offsets of the markets' clocks, which are those of `market-time.ts`. */
import type { TimeZone } from '../../catalog/dataset.ts';
import { offsetChanges } from '../../time/market-time.ts';

const NANO_DIGITS = '000000000';

interface OffsetStep {
  /** Seconds since 1970 from which on the offset holds. */
  readonly startSeconds: number;
  /** Null: the clock shows no such time. */
  readonly offsetSeconds: number | null;
}

/**
 * The offset as a step function of local time. A time that the clock shows twice is the earlier one:
 * the old offset holds up to the end of the hour shown twice. One that it skips has no offset.
 */
function localSteps(zone: TimeZone): OffsetStep[] {
  const changes = offsetChanges(zone);
  return changes.flatMap(({ startSeconds, offsetSeconds }, i): OffsetStep[] => {
    const before = changes[i - 1]?.offsetSeconds ?? offsetSeconds;
    if (offsetSeconds <= before) return [{ startSeconds: startSeconds + before, offsetSeconds }];
    return [
      { startSeconds: startSeconds + before, offsetSeconds: null },
      { startSeconds: startSeconds + offsetSeconds, offsetSeconds },
    ];
  });
}

function searchSql(steps: readonly OffsetStep[], time: string): string {
  if (steps.length === 1) return `${steps[0]?.offsetSeconds ?? 'NULL'}`;
  const middle = steps.length >> 1;
  const before = searchSql(steps.slice(0, middle), time);
  const after = searchSql(steps.slice(middle), time);
  const split = `${steps[middle]?.startSeconds}${NANO_DIGITS}`;
  return `CASE WHEN ${time} < ${split} THEN ${before} ELSE ${after} END`;
}

/** SQL for the market's offset from UTC in seconds at an instant: `utc` is the SQL of nanoseconds. */
export function utcOffsetSql(zone: TimeZone, utc: string): string {
  return searchSql(offsetChanges(zone), utc);
}

/**
 * SQL for the market's offset from UTC in seconds at a local time, null where its clock skips that
 * time. `local` is a column of local
 * nanoseconds since 1970, named and not computed, because it stands in the text many times. A
 * vector of times close to each other takes the same ten branches, so this costs less than a join.
 */
export function marketOffsetSql(zone: TimeZone, local: string): string {
  return searchSql(localSteps(zone), local);
}
