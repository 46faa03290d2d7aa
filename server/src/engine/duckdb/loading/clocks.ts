/**
 * SQL for the clocks of the markets, which are those of `market-time.ts`. Time is cut into spans so
 * short that a zone's offset changes at most once in each, so three lists by span tell the offset
 * at any time. A condition for each change in the SQL itself would take longer to plan than most
 * files to load.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { type OffsetInterval, offsetIntervals } from '../../../time/market-time.ts';
import type { TimeZone } from '../../../time/time-zone.ts';
import { quoteName, quoteText } from '../sql-text.ts';

const NANOS = 1_000_000_000n;
export const DAY_SECONDS = 86_400;
const FIRST_SECONDS = Date.UTC(1899, 0, 1) / 1000;
const LAST_SECONDS = Date.UTC(2201, 0, 1) / 1000;
const SPAN_SECONDS_MAX = 180 * DAY_SECONDS;
/** Local time is never further from UTC than this. */
const MARGIN_SECONDS = DAY_SECONDS;

interface Span {
  /** The one change (UTC) in the span or within the margin around it; 0 where there is none. */
  readonly changeSeconds: number;
  readonly offsetBefore: number;
  readonly offsetAfter: number;
}

/** The longest span that, with its margins, never holds two changes. */
function spanSeconds(intervals: readonly OffsetInterval[]): number {
  const lengths = intervals.map(({ startSeconds, endSeconds }) => endSeconds - startSeconds);
  return Math.min(SPAN_SECONDS_MAX, ...lengths.map((length) => length - 2 * MARGIN_SECONDS));
}

function spansOf(intervals: readonly OffsetInterval[], length: number): Span[] {
  let i = 0;
  return Array.from({ length: Math.ceil((LAST_SECONDS - FIRST_SECONDS) / length) }, (_, s) => {
    const start = FIRST_SECONDS + s * length - MARGIN_SECONDS;
    const end = start + length + 2 * MARGIN_SECONDS;
    while ((intervals[i] as OffsetInterval).endSeconds < start) i += 1;
    const { endSeconds, offsetSeconds } = intervals[i] as OffsetInterval;
    const after = endSeconds < end ? intervals[i + 1] : undefined;
    return {
      changeSeconds: after?.startSeconds ?? 0,
      offsetBefore: offsetSeconds,
      offsetAfter: after?.offsetSeconds ?? offsetSeconds,
    };
  });
}

const listSql = (seconds: readonly number[]) =>
  `CAST(string_split('${seconds.map((each) => BigInt(each) * NANOS).join()}', ',') AS BIGINT[])`;

const statements = new Map<TimeZone, readonly string[]>();

function statementsOf(zone: TimeZone): readonly string[] {
  let known = statements.get(zone);
  if (!known) {
    const intervals = offsetIntervals(zone);
    const length = spanSeconds(intervals);
    const spans = spansOf(intervals, length);
    const set = (name: string, sql: string) =>
      `SET VARIABLE ${quoteName(`${zone} ${name}`)} = ${sql}`;
    known = [
      set('span', `${length}`),
      set('changes', listSql(spans.map((span) => span.changeSeconds))),
      set('offsets before', listSql(spans.map((span) => span.offsetBefore))),
      set('offsets after', listSql(spans.map((span) => span.offsetAfter))),
    ];
    statements.set(zone, known);
  }
  return known;
}

const zonesOf = new WeakMap<DuckDBConnection, Set<TimeZone>>();

/**
 * Gives the SQL of this file the clocks of a dataset, for as long as the connection lasts. It takes
 * longer than all else of a small load, and rows that come as batches need none.
 */
export async function setClocks(
  connection: DuckDBConnection,
  { timeZone, fileTimeZone }: { readonly timeZone: TimeZone; readonly fileTimeZone: TimeZone },
): Promise<void> {
  const zones = zonesOf.getOrInsertComputed(connection, () => new Set());
  for (const zone of [timeZone, fileTimeZone]) {
    if (zones.has(zone)) continue;
    for (const statement of statementsOf(zone)) await connection.run(statement);
    zones.add(zone);
  }
}

/** SQL for what a clock does in the span of a time, local or UTC; nulls in other centuries. */
function clockSql(zone: TimeZone, time: string) {
  const variable = (name: string) => `getvariable(${quoteText(`${zone} ${name}`)})`;
  // In seconds, as the difference of nanoseconds would not always fit into 64 bits.
  const seconds = `(${time} // ${NANOS} - (${FIRST_SECONDS}))`;
  const number = `${seconds} // ${variable('span')} + 1`;
  return {
    change: `list_extract(${variable('changes')}, ${number})`,
    offsetBefore: `list_extract(${variable('offsets before')}, ${number})`,
    offsetAfter: `list_extract(${variable('offsets after')}, ${number})`,
  };
}

/**
 * SQL for nanoseconds of a zone's clock since 1970 of an instant; `utc` is the SQL of its
 * nanoseconds.
 */
export function localOfUtcSql(zone: TimeZone, utc: string): string {
  if (zone === 'UTC') return utc;
  const { change, offsetBefore, offsetAfter } = clockSql(zone, utc);
  return `(${utc} + CASE WHEN ${utc} < ${change} THEN ${offsetBefore} ELSE ${offsetAfter} END)`;
}

/**
 * SQL for the date that a zone's clock shows at an instant from 2 January 1970 on. Most have the
 * same one whatever the offset is.
 */
export function dateOfUtcSql(zone: TimeZone, utc: string): string {
  const offsets = offsetIntervals(zone).map(({ offsetSeconds }) => offsetSeconds);
  const [first, last] = [Math.min(...offsets), Math.max(...offsets)];
  const earliest = `(${utc} + (${nanosSql(first)}))`;
  const isSure = `${earliest} % ${DAY} < ${nanosSql(DAY_SECONDS - (last - first))}`;
  const dateSql = (nanos: string) => `CAST(make_timestamp_ns(${nanos}) AS DATE)`;
  return `CASE WHEN ${isSure} THEN ${dateSql(earliest)} ELSE ${dateSql(localOfUtcSql(zone, utc))} END`;
}

/**
 * SQL for the instant of nanoseconds of a zone's clock since 1970, null where the clock skips
 * that time. A time that it shows twice is the earlier one.
 */
export function utcOfLocalSql(zone: TimeZone, local: string): string {
  const { change, offsetBefore, offsetAfter } = clockSql(zone, local);
  return `CASE WHEN ${local} - ${offsetBefore} < ${change} THEN ${local} - ${offsetBefore}
    WHEN ${local} - ${offsetAfter} >= ${change} THEN ${local} - ${offsetAfter} END`;
}

const nanosSql = (seconds: number) => `${BigInt(seconds) * NANOS}`;
const DAY = nanosSql(DAY_SECONDS);

/** Local nanoseconds. Subtracting two times can overflow 64 bits. */
const midnightSql = (date: string) => `(${DAY} * (${date} - DATE '1970-01-01'))`;

/** Seconds since the midnight of a date, the first one and the first that is not of it. */
interface DaySpan {
  readonly start: number;
  readonly end: number;
}

/** SQL: true if local nanoseconds since 1970 lie in a date's span. */
export function isLocalInSpanSql(local: string, date: string, { start, end }: DaySpan): string {
  const midnight = midnightSql(date);
  return `(${local} >= ${midnight} + ${nanosSql(start)} AND ${local} < ${midnight} + ${nanosSql(end)})`;
}

/**
 * SQL: true if a time lies in a date's span, whatever the offset of that day is. Most times do,
 * which two comparisons tell without a clock.
 */
export function isSurelyInSpanSql(
  zone: TimeZone,
  time: string,
  date: string,
  { start, end }: DaySpan,
): string {
  const offsets = offsetIntervals(zone).map(({ offsetSeconds }) => offsetSeconds);
  const utc = `epoch_ns(${time})`;
  const span = { start: start - Math.min(...offsets), end: end - Math.max(...offsets) };
  return isLocalInSpanSql(utc, date, span);
}

/** SQL: true if a time lies in a date's span, by the clock of the zone. */
export function isInSpanSql(zone: TimeZone, time: string, date: string, span: DaySpan): string {
  const local = localOfUtcSql(zone, `epoch_ns(${time})`);
  return `CASE WHEN ${isSurelyInSpanSql(zone, time, date, span)} THEN true
    ELSE ${isLocalInSpanSql(local, date, span)} END`;
}
