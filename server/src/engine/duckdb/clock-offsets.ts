/**
 * SQL for the clocks of the markets, which are those of `market-time.ts`. A clock is put forward or
 * back at most once in half a year, so two short lists by half-year tell its offset at any time. A
 * condition for each change in the SQL itself would take longer to plan than most files to load.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { TimeZone } from '../../catalog/dataset.ts';
import { offsetChanges } from '../../time/market-time.ts';

const NANOS = 1_000_000_000n;
/** Half of the calendar's mean year: years begin within two days of where halves do. */
const HALF_YEAR_SECONDS = 15_778_476;
const FIRST_SECONDS = Date.UTC(1899, 0, 1) / 1000;
const LAST_SECONDS = Date.UTC(2201, 0, 1) / 1000;
const HALF_YEAR_COUNT = Math.ceil((LAST_SECONDS - FIRST_SECONDS) / HALF_YEAR_SECONDS);
/** So far from the ends of half-years must changes be that local time and UTC share one. */
const MARGIN_SECONDS = 2 * 86_400;

interface HalfYear {
  /** When the clock is changed (UTC), or the end where it is not. */
  readonly changeSeconds: number;
  /** The offset at its beginning. */
  readonly offsetSeconds: number;
}

function halfYears(zone: TimeZone): HalfYear[] {
  const changes = offsetChanges(zone);
  let c = 0;
  return Array.from({ length: HALF_YEAR_COUNT }, (_, h) => {
    const start = FIRST_SECONDS + h * HALF_YEAR_SECONDS;
    const end = start + HALF_YEAR_SECONDS;
    const offsetSeconds = changes[c]?.offsetSeconds as number;
    const changeSeconds = changes[c + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    if (changeSeconds >= end + MARGIN_SECONDS) return { changeSeconds: end, offsetSeconds };
    c += 1;
    const nextSeconds = changes[c + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    const last = end - MARGIN_SECONDS;
    if (changeSeconds < start + MARGIN_SECONDS || changeSeconds > last || nextSeconds <= last) {
      throw new Error(`${zone}: changes of the clock too close for the table of half-years`);
    }
    return { changeSeconds, offsetSeconds };
  });
}

const listSql = (seconds: readonly number[]) =>
  `CAST(string_split('${seconds.map((each) => BigInt(each) * NANOS).join()}', ',') AS BIGINT[])`;

const statements = new Map<TimeZone, readonly string[]>();

function statementsOf(zone: TimeZone): readonly string[] {
  let known = statements.get(zone);
  if (!known) {
    const halves = halfYears(zone);
    const changes = listSql(halves.map(({ changeSeconds }) => changeSeconds));
    const offsets = listSql(halves.map(({ offsetSeconds }) => offsetSeconds));
    known = [`SET VARIABLE clock_changes = ${changes}`, `SET VARIABLE clock_offsets = ${offsets}`];
    statements.set(zone, known);
  }
  return known;
}

/** Gives the SQL of this file the clock of a zone, for as long as the connection lasts. */
export async function setClock(connection: DuckDBConnection, zone: TimeZone): Promise<void> {
  for (const statement of statementsOf(zone)) await connection.run(statement);
}

/** SQL for what the clock does in the half-year of a time, local or UTC; nulls in other centuries. */
function clockSql(time: string) {
  // In seconds, as the difference of nanoseconds would not always fit into 64 bits.
  const seconds = `(${time} // ${NANOS} - (${FIRST_SECONDS}))`;
  const number = `${seconds} // ${HALF_YEAR_SECONDS} + 1`;
  return {
    change: `list_extract(getvariable('clock_changes'), ${number})`,
    offsetBefore: `list_extract(getvariable('clock_offsets'), ${number})`,
    offsetAfter: `list_extract(getvariable('clock_offsets'), ${number} + 1)`,
  };
}

/** SQL for local nanoseconds since 1970 of an instant; `utc` is the SQL of its nanoseconds. */
export function localOfUtcSql(utc: string): string {
  const { change, offsetBefore, offsetAfter } = clockSql(utc);
  return `(${utc} + CASE WHEN ${utc} < ${change} THEN ${offsetBefore} ELSE ${offsetAfter} END)`;
}

/**
 * SQL for the instant of local nanoseconds since 1970, null where the clock skips that time. A time
 * that it shows twice is the earlier one.
 */
export function utcOfLocalSql(local: string): string {
  const { change, offsetBefore, offsetAfter } = clockSql(local);
  return `CASE WHEN ${local} - ${offsetBefore} < ${change} THEN ${local} - ${offsetBefore}
    WHEN ${local} - ${offsetAfter} >= ${change} THEN ${local} - ${offsetAfter} END`;
}
