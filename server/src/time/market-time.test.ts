import { describe, expect, it } from 'vitest';
import { localOfUtcNanos, marketDate, utcOfLocalNanos, utcOfMarketTime } from './market-time.ts';

const nanos = (iso: string) => BigInt(Date.parse(`${iso}Z`)) * 1_000_000n;
const HOUR = 3_600_000_000_000n;

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

  it('comes back to the same local time for every hour of a hundred years', () => {
    for (
      let at = nanos('1950-01-01T00:00:00');
      at < nanos('2050-01-01T00:00:00');
      at += 7n * HOUR
    ) {
      const local = localOfUtcNanos('America/New_York', at);
      const back = utcOfLocalNanos('America/New_York', local);
      expect(back === at || back === at - HOUR).toBe(true);
    }
  });

  it('knows the market date at an instant', () => {
    expect(marketDate('America/Chicago', Date.parse('2024-07-15T04:59:59Z'))).toBe('2024-07-14');
    expect(marketDate('America/Chicago', Date.parse('2024-07-15T05:00:00Z'))).toBe('2024-07-15');
  });
});
