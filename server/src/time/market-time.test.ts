import { describe, expect, it } from 'vitest';
import {
  isSkippedLocalTime,
  localOfUtcNanos,
  marketDate,
  marketTimeText,
  offsetIntervalAt,
  offsetIntervals,
  utcOfLocalNanos,
  utcOfMarketTime,
} from './market-time.ts';

const nanos = (iso: string) => BigInt(Date.parse(`${iso}Z`)) * 1_000_000n;
const HOUR = 3_600_000_000_000n;

const ZONES = [
  ...['America/New_York', 'America/Chicago', 'America/Recife', 'Europe/London', 'Africa/Cairo'],
  ...['Asia/Tokyo', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'],
];

/** The offset in seconds between a zone's calendar and clock, as `Intl` writes them, and UTC. */
function shownOffset(zone: string): (epochSeconds: number) => number {
  const two = '2-digit';
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'iso8601', hourCycle: 'h23' },
    ...({ year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const),
  });
  return (epochSeconds) => {
    const parts = new Map(format.formatToParts(epochSeconds * 1000).map((p) => [p.type, p.value]));
    const [year, month, day, hour, minute, second] = (
      ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
    ).map((part) => Number(parts.get(part))) as [number, number, number, number, number, number];
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - epochSeconds;
  };
}

describe('market time', () => {
  it('places New York five hours behind UTC in winter and four in summer', () => {
    expect(utcOfMarketTime('America/New_York', '2024-01-15', 0)).toBe(nanos('2024-01-15T05:00:00'));
    expect(utcOfMarketTime('America/New_York', '2024-07-15', 1n)).toBe(
      nanos('2024-07-15T04:00:00') + 1n,
    );
  });

  it('reads an hour that the clock shows twice as the earlier one', () => {
    const local = nanos('2024-11-03T01:30:00');
    expect(utcOfLocalNanos('America/New_York', local)).toBe(local + 4n * HOUR);
  });

  it('reads a time that the clock skips with the offset before the skip', () => {
    const local = nanos('2024-03-10T02:30:00');
    expect(utcOfLocalNanos('America/Chicago', local)).toBe(local + 6n * HOUR);
    expect(utcOfLocalNanos('America/Chicago', nanos('2024-03-10T03:00:00'))).toBe(
      nanos('2024-03-10T08:00:00'),
    );
  });

  it('comes back to the same local time for any hour of a hundred years', () => {
    for (
      let at = nanos('1950-01-01T00:00:00');
      at < nanos('2050-01-01T00:00:00');
      at += 31n * HOUR
    ) {
      const local = localOfUtcNanos('America/New_York', at);
      const back = utcOfLocalNanos('America/New_York', local);
      expect(back === at || back === at - HOUR).toBe(true);
    }
  });

  it.each(ZONES)('gives %s the offsets that its calendar shows, over decades', (zone) => {
    const shown = shownOffset(zone);
    const changes = offsetIntervals(zone).slice(1);
    const aroundChanges = changes.flatMap(({ startSeconds }) => [startSeconds - 1, startSeconds]);
    const others = Array.from({ length: 2000 }, (_, i) => Date.UTC(1900, 0, 1 + i * 54) / 1000);
    for (const seconds of [...aroundChanges, ...others]) {
      const { startSeconds, endSeconds, offsetSeconds } = offsetIntervalAt(zone, seconds);
      expect(offsetSeconds).toBe(shown(seconds));
      expect(startSeconds <= seconds && seconds < endSeconds).toBe(true);
    }
  });

  it('skips the day that a market on the other side of the date line leaves out', () => {
    const local = nanos('2011-12-30T12:00:00');
    expect(isSkippedLocalTime('Pacific/Apia', '2011-12-30T12:00:00')).toBe(true);
    expect(utcOfLocalNanos('Pacific/Apia', local)).toBe(local + 10n * HOUR);
    expect(utcOfMarketTime('Pacific/Apia', '2011-12-31', 0)).toBe(nanos('2011-12-30T10:00:00'));
  });

  it('knows the market date at an instant', () => {
    expect(marketDate('America/Chicago', Date.parse('2024-07-15T04:59:59Z'))).toBe('2024-07-14');
    expect(marketDate('America/Chicago', Date.parse('2024-07-15T05:00:00Z'))).toBe('2024-07-15');
  });
});

it.each(ZONES)('times of %s are written as the runtime writes them', (zone) => {
  for (const iso of ['2025-03-09T07:00:00', '2025-11-02T05:59:59', '1969-12-31T23:59:59']) {
    for (const more of [0n, 1n, 999_999_999n, 7n * HOUR]) {
      const utc = nanos(iso) + more;
      const instant = Temporal.Instant.fromEpochNanoseconds(utc);
      const written = instant.toString({ timeZone: zone, fractionalSecondDigits: 9 });
      expect(marketTimeText(zone, utc)).toBe(written);
    }
  }
});
