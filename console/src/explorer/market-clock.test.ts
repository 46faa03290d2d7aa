import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockOffset } from './market-clock';

describe("a market's clock", () => {
  it.each(['America/New_York', 'America/Chicago', 'Asia/Kolkata', 'UTC'])(
    'is at any moment what the platform says: %s',
    (timeZone) => {
      const offset = clockOffset(timeZone);
      const format = new Intl.DateTimeFormat('sv-SE', {
        ...{ timeZone, dateStyle: 'short', timeStyle: 'medium' },
      });
      fc.assert(
        fc.property(fc.integer({ min: 946_684_800, max: 1_900_000_000 }), (utc) => {
          const text = new Date((utc + offset(utc)) * 1000).toISOString().slice(0, 19);
          expect(text.replace('T', ' ')).toBe(format.format(utc * 1000));
        }),
        { numRuns: 300 },
      );
    },
  );

  it('changes at the hour at which clocks do', () => {
    const offset = clockOffset('America/New_York');
    const change = Date.parse('2026-11-01T06:00:00Z') / 1000;
    expect([change - 1, change].map(offset)).toEqual([-4 * 3600, -5 * 3600]);
  });
});
