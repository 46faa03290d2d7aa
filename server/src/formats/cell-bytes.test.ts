import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOfDays } from '../engine/columns.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { ByteSink, textOf } from './byte-sink.ts';
import {
  CELL_BYTES_MAX,
  dateWriter,
  numberText,
  timeWriter,
  writeInteger,
  writeShortDecimal,
} from './cell-bytes.ts';

/** The bytes that `write` leaves in a sink that has no more room than it may need. */
function written(write: (sink: ByteSink) => void): string {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  sink.expectRows(1, CELL_BYTES_MAX);
  sink.makeRoom(0);
  write(sink);
  sink.flush();
  return Buffer.concat(blocks).toString();
}

/** The two halves of a 64-bit integer, as typed arrays hold them. */
function halves(value: bigint): [low: number, high: number] {
  const [low, high] = new Int32Array(new BigInt64Array([value]).buffer);
  return [low as number, high as number];
}

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

describe('writeInteger', () => {
  it('writes every 64-bit integer to the last digit', () => {
    const extremes = [0n, 2n ** 31n, 2n ** 32n, 10n ** 8n, 2n ** 53n, 10n ** 15n, 2n ** 63n - 1n];
    const near = extremes.flatMap((value) => [value - 1n, value, value + 1n, -value, ~value]);
    for (const value of near.map((each) => BigInt.asIntN(64, each))) {
      expect(written((sink) => writeInteger(sink, ...halves(value)))).toBe(`${value}`);
    }
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.nat(63),
        (any, shift) => {
          const value = any >> BigInt(shift);
          expect(written((sink) => writeInteger(sink, ...halves(value)))).toBe(`${value}`);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('writeShortDecimal', () => {
  const expectShortest = (value: number) => {
    let isWritten = false;
    const text = written((sink) => {
      isWritten = writeShortDecimal(sink, value);
    });
    expect(text).toBe(isWritten ? numberText(value) : '');
    return isWritten;
  };

  it('writes prices and seconds of up to nine decimals', () => {
    const price = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 9 }));
    fc.assert(
      fc.property(price, ([digits, decimals]) => {
        expect(expectShortest(Number(`${digits}e-${decimals}`))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([1234567890123.45, 123456789.123456, -123456789.000001, 123456.123456789])(
    'writes %d, of 15 digits',
    (value) => {
      expect(expectShortest(value)).toBe(true);
    },
  );

  it.each([1e13, -1e13, 12345678901234.56])('leaves %d, of 16 digits, to others', (value) => {
    expect(expectShortest(value)).toBe(false);
  });

  it('writes the shortest decimal or nothing, for every finite double', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    const sizes = [1e-7, 1e-6, 0.01, 1e13, 1e14, 1e15, 2 ** 53, 1e21, 1e22, 1.7976931348623157e308];
    const neighbours = sizes.flatMap((size) => [
      size,
      size * (1 + 2 ** -52),
      size * (1 - 2 ** -53),
    ]);
    for (const value of [0, -0, 5e-324, ...neighbours]) {
      expectShortest(value);
      expectShortest(-value);
    }
    fc.assert(
      fc.property(finite, fc.integer({ min: 0, max: 17 }), (value, decimals) => {
        expectShortest(value);
        const scaled = Math.round((value % 1e9) * 10 ** decimals) / 10 ** decimals;
        expectShortest(scaled);
        expectShortest(scaled * (1 + 2 ** -52));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('timeWriter', () => {
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

  function timeText(zone: TimeZone, digits: 0 | 9): (nanos: bigint) => string {
    const write = timeWriter(zone, digits, '');
    return (nanos) => written((sink) => write(sink, ...halves(nanos)));
  }

  const anyNanos = fc.bigInt({
    min: BigInt(Date.parse('1950-01-01')) * 1_000_000n,
    max: BigInt(Date.parse('2199-12-31')) * 1_000_000n,
  });

  it.each(['America/New_York', 'America/Chicago'] as const)(
    'gives the local time of %s with nine digits and the offset of that moment',
    (zone) => {
      const write = timeText(zone, 9);
      fc.assert(
        fc.property(anyNanos, (nanos) => {
          expect(write(nanos)).toBe(expectedTime(zone, nanos, 9));
        }),
      );
    },
  );

  it('is exact on both sides of a minute and of a change of the offset', () => {
    const write = timeText('America/New_York', 9);
    const change = BigInt(Date.parse('2024-11-03T06:00:00Z')) * 1_000_000n;
    expect(write(change - 1n)).toBe('2024-11-03T01:59:59.999999999-04:00');
    expect(write(change)).toBe('2024-11-03T01:00:00.000000000-05:00');
    expect(write(change - 1n)).toBe('2024-11-03T01:59:59.999999999-04:00');
    expect(write(change + 59_999_999_999n)).toBe('2024-11-03T01:00:59.999999999-05:00');
    const midnight = BigInt(Date.parse('2024-11-04T05:00:00Z')) * 1_000_000n;
    expect(write(midnight - 1n)).toBe('2024-11-03T23:59:59.999999999-05:00');
    expect(write(midnight)).toBe('2024-11-04T00:00:00.000000000-05:00');
    expect(write(-1n)).toBe('1969-12-31T18:59:59.999999999-05:00');
  });

  it('leaves the fraction out of bar times', () => {
    const write = timeText('America/Chicago', 0);
    const nanos = BigInt(Date.parse('2024-07-01T14:30:00Z')) * 1_000_000n;
    expect(write(nanos)).toBe('2024-07-01T09:30:00-05:00');
  });
});

describe('dateWriter', () => {
  it('writes days since 1970 as dates', () => {
    const write = dateWriter('"');
    expect([0, 0, -1, 20_000].map((days) => written((sink) => write(sink, days)))).toEqual([
      '"1970-01-01"',
      '"1970-01-01"',
      '"1969-12-31"',
      '"2024-10-04"',
    ]);
  });

  it('writes every day as any calendar has it, in any order', () => {
    const write = dateWriter('', textOf('on '));
    const text = (days: number) => written((sink) => write(sink, days));
    const [first, last] = [-719_528, 2_932_896]; // 0000-01-01 and 9999-12-31
    fc.assert(
      fc.property(
        fc.integer({ min: first, max: last }),
        fc.integer({ min: 0, max: 70 }),
        (day, on) => {
          const later = Math.min(day + on, last);
          for (const each of [day, later, day]) expect(text(each)).toBe(`on ${dateOfDays(each)}`);
        },
      ),
    );
    for (let day = 10_957 - 400; day < 10_957 + 400; day++) {
      expect(text(day)).toBe(`on ${dateOfDays(day)}`);
    }
  });
});
