import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  localOfUtcNanos,
  NANOS_PER_SECOND,
  offsetIntervals,
  utcOfLocalNanos,
} from '../../../time/market-time.ts';
import type { TimeZone } from '../../../time/time-zone.ts';
import { dateOfUtcSql, localOfUtcSql, setClocks, utcOfLocalSql } from './clocks.ts';

/** One zone for each kind of clock change: none, half an hour, a day, and twice within a week. */
const ZONES = [
  'America/New_York',
  'America/Chicago',
  'Europe/London',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Recife',
  'UTC',
];

let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(() => instance.closeSync());

const nanosOf = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n;
const FIRST = nanosOf('1900-01-01T00:00:00Z');
const LAST = nanosOf('2199-12-31T23:59:59Z') + NANOS_PER_SECOND - 1n;
const HOUR = 3600n * NANOS_PER_SECOND;

/** Both ends of the hours around a time, to the nanosecond. */
function around(nanos: bigint): bigint[] {
  const hours = [-7n, -6n, -5n, -4n, -2n, -1n, 0n, 1n, 2n];
  return hours.flatMap((by) => [-1n, 0n, 1n].map((nano) => nanos + by * HOUR + nano));
}

/** Around every change of the clock and the new years, and some in between. */
function timesOf(zone: TimeZone): bigint[] {
  const intervals = offsetIntervals(zone);
  const changes = intervals.slice(1);
  const years = Array.from({ length: 60 }, (_, y) => nanosOf(`${1900 + 5 * y}-01-01T00:00:00Z`));
  const others = Array.from(
    { length: 1000 },
    (_, i) => FIRST + (BigInt(i) * (LAST - FIRST)) / 1000n,
  );
  const times = [
    ...changes.flatMap(({ startSeconds, offsetSeconds }, i) => {
      const offsets = [0, intervals[i]?.offsetSeconds as number, offsetSeconds];
      return offsets.flatMap((by) => around(BigInt(startSeconds + by) * NANOS_PER_SECOND));
    }),
    ...years.flatMap(around),
    ...others,
    LAST,
  ];
  return times.filter((time) => time >= FIRST && time <= LAST);
}

async function evaluated(zone: TimeZone, sql: string, times: readonly bigint[]) {
  const connection = await instance.connect();
  await setClocks(connection, { timeZone: zone, fileTimeZone: zone });
  const reader = await connection.runAndReadAll(
    `SELECT ${sql} FROM (SELECT unnest(CAST(string_split('${times.join()}', ',') AS BIGINT[])) AS t)`,
  );
  connection.closeSync();
  return reader.getColumns()[0];
}

test.each(ZONES)('instants have the local times of %s', async (zone) => {
  const times = timesOf(zone);
  expect(times.length).toBeGreaterThan(2000);
  const expected = times.map((utc) => localOfUtcNanos(zone, utc));
  expect(await evaluated(zone, localOfUtcSql(zone, 't'), times)).toEqual(expected);
});

test.each(ZONES)('instants have the dates of %s', async (zone) => {
  const times = timesOf(zone).filter((utc) => utc >= nanosOf('1970-01-02T00:00:00Z'));
  expect(times.length).toBeGreaterThan(1000);
  const expected = times.map((utc) => {
    const local = Number(localOfUtcNanos(zone, utc) / 1_000_000n);
    return new Date(local).toISOString().slice(0, 10);
  });
  const dates = await evaluated(zone, `CAST(${dateOfUtcSql(zone, 't')} AS VARCHAR)`, times);
  expect(dates).toEqual(expected);
});

test.each(ZONES)('local times of %s are instants, the skipped ones none', async (zone) => {
  const times = timesOf(zone);
  const expected = times.map((local) => {
    const utc = utcOfLocalNanos(zone, local);
    return localOfUtcNanos(zone, utc) === local ? utc : null;
  });
  expect(expected.includes(null)).toBe(zone !== 'UTC');
  expect(await evaluated(zone, utcOfLocalSql(zone, 't'), times)).toEqual(expected);
});
