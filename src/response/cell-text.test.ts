import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateFormatter, numberText, timeFormatter } from './cell-text.ts';

describe('numberText', () => {
  it('writes the shortest decimal, without exponent', () => {
    const cases: [number, string][] = [
      [0, '0'],
      [-0, '0'],
      [146.19, '146.19'],
      [0.994049825396516, '0.994049825396516'],
      [1e-7, '0.0000001'],
      [-1.5e-9, '-0.0000000015'],
      [5e-324, `0.${'0'.repeat(323)}5`],
      [1e21, '1000000000000000000000'],
      [-1.2345e25, '-12345000000000000000000000'],
      [123456789012345680000, '123456789012345680000'],
    ];
    for (const [value, text] of cases) expect(numberText(value)).toBe(text);
  });

  it('reads back to the same double for every finite double', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, (value) => {
        const text = numberText(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('timeFormatter', () => {
  /** An independent reading of the local time: the runtime's own formatter. */
  function expectedTime(zone: string, nanos: bigint, digits: 0 | 9): string {
    const ms = Number(nanos / 1_000_000n - (nanos % 1_000_000n < 0n ? 1n : 0n));
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
    const parts = Object.fromEntries(format.formatToParts(ms).map((p) => [p.type, p.value]));
    const fraction = String(((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
    const offset = (parts.timeZoneName as string).slice(3);
    const clock = `${parts.hour}:${parts.minute}:${parts.second}`;
    const tail = digits === 9 ? `.${fraction.padStart(9, '0')}` : '';
    return `${parts.year}-${parts.month}-${parts.day}T${clock}${tail}${offset}`;
  }

  const anyNanos = fc.bigInt({
    min: BigInt(Date.parse('1950-01-01')) * 1_000_000n,
    max: BigInt(Date.parse('2199-12-31')) * 1_000_000n,
  });

  it.each(['America/New_York', 'America/Chicago'] as const)(
    'gives the local time of %s with nine digits and the offset of that moment',
    (zone) => {
      const write = timeFormatter(zone, 9);
      fc.assert(
        fc.property(anyNanos, (nanos) => {
          expect(write(nanos)).toBe(expectedTime(zone, nanos, 9));
        }),
      );
    },
  );

  it('is exact on both sides of a minute and of a change of the offset', () => {
    const write = timeFormatter('America/New_York', 9);
    const change = BigInt(Date.parse('2024-11-03T06:00:00Z')) * 1_000_000n;
    expect(write(change - 1n)).toBe('2024-11-03T01:59:59.999999999-04:00');
    expect(write(change)).toBe('2024-11-03T01:00:00.000000000-05:00');
    expect(write(change - 1n)).toBe('2024-11-03T01:59:59.999999999-04:00');
    expect(write(change + 59_999_999_999n)).toBe('2024-11-03T01:00:59.999999999-05:00');
  });

  it('leaves the fraction out of bar times', () => {
    const write = timeFormatter('America/Chicago', 0);
    const nanos = BigInt(Date.parse('2024-07-01T14:30:00Z')) * 1_000_000n;
    expect(write(nanos)).toBe('2024-07-01T09:30:00-05:00');
  });
});

describe('dateFormatter', () => {
  it('writes days since 1970 as dates', () => {
    const write = dateFormatter();
    expect([0, 0, -1, 20_000].map(write)).toEqual([
      '1970-01-01',
      '1970-01-01',
      '1969-12-31',
      '2024-10-04',
    ]);
  });
});
