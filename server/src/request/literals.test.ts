import { describe, expect, it } from 'vitest';
import type { Column, DataType } from '../catalog/dataset.ts';
import { operatorNames } from '../engine/operators.ts';
import type { BoundValue } from '../engine/part.ts';
import { LITERALS } from './literals.ts';

const NANOS = 1_000_000_000n;

function utc(iso: string, nanos = 0n): bigint {
  return (BigInt(Date.parse(iso)) / 1000n) * NANOS + nanos;
}

const READ: [DataType, string, BoundValue][] = [
  ['string', '', ''],
  ['string', " O'Neil; -- ", " O'Neil; -- "],
  ['array of string', 'AAPL', 'AAPL'],
  ['array of integer', '-7', -7n],
  ['array of number', '1e-4', 0.0001],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['decimal', '189.25', 18_925n],
  ['decimal', '-0.5', -50n],
  ['decimal', '+.5', 50n],
  ['decimal', '0009999.9900', 999_999n],
  ['decimal', '-0', 0n],
  ['decimal', '3.', 300n],
  ['integer', '0', 0n],
  ['integer', '-0', 0n],
  ['integer', '007', 7n],
  ['integer', '1010000000001033', 1010000000001033n],
  ['integer', '9223372036854775807', 2n ** 63n - 1n],
  ['integer', '-9223372036854775808', -(2n ** 63n)],
  ['number', '189.25', 189.25],
  ['number', '-3', -3],
  ['number', '.5', 0.5],
  ['number', '5.', 5],
  ['number', '1e-4', 0.0001],
  ['number', '1E+2', 100],
  ['number', '-0', 0],
  ['date', '2026-11-18', '2026-11-18'],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '1900-01-01', '1900-01-01'],
  ['date', '2199-12-31', '2199-12-31'],
  ['date-time', '2026-11-18T09:30:00', utc('2026-11-18T14:30:00Z')],
  ['date-time', '2026-07-01 09:30:00', utc('2026-07-01T13:30:00Z')],
  ['date-time', '2026-11-18T09:30', utc('2026-11-18T14:30:00Z')],
  ['date-time', '2026-11-18 09:30Z', utc('2026-11-18T09:30:00Z')],
  ['date-time', '2026-11-18T09:30-05:00', utc('2026-11-18T14:30:00Z')],
  ['date-time', '2026-11-18T09:30:00.000000001', utc('2026-11-18T14:30:00Z', 1n)],
  ['date-time', '2026-11-18T09:30:00.5', utc('2026-11-18T14:30:00Z', 500_000_000n)],
  ['date-time', '2026-11-18T09:30:00Z', utc('2026-11-18T09:30:00Z')],
  ['date-time', '2026-11-18T09:30:00-05:00', utc('2026-11-18T14:30:00Z')],
  ['date-time', '2026-11-18T09:30:00+05:30', utc('2026-11-18T04:00:00Z')],
  ['date-time', '2026-11-18T09:30:00 05:30', utc('2026-11-18T04:00:00Z')],
  ['date-time', '2026-11-18 09:30:00.25 00:00', utc('2026-11-18T09:30:00Z', 250_000_000n)],
  ['date-time', '1960-01-01T00:00:00.1Z', utc('1960-01-01T00:00:00Z', 100_000_000n)],
];

const UNREADABLE: [DataType, string][] = [
  ...['', 'True', '1', 'yes', ' true', 'toString'].map((text): [DataType, string] => [
    'boolean',
    text,
  ]),
  ...['', '.', '-', '1.234', '10000', '1e2', '0x10', ' 1', '1 ', 'NaN', '1,5', '--1'].map(
    (text): [DataType, string] => ['decimal', text],
  ),
  ...['[1]', '1.5', '9223372036854775808'].map((text): [DataType, string] => [
    'array of integer',
    text,
  ]),
  ...['', '1.0', '1e3', '+1', ' 1', '1 ', 'x', '0x10', '१', '9223372036854775808'].map(
    (text): [DataType, string] => ['integer', text],
  ),
  ...['', '.', '-', '1,5', '1e', 'NaN', 'Infinity', '1e999', '+1', ' 1', '0x10', '1_000'].map(
    (text): [DataType, string] => ['number', text],
  ),
  ...[
    ...['', '2026-11-31', '2023-02-29', '2026-00-10', '2026-13-01', '1899-12-31', '2200-01-01'],
    ...['2026-1-1', '20261118', '18/11/2026', '2026-11-18T00:00:00', '+002026-11-18'],
    ...['2026-11-18 ', '２０２６-11-18', '2026-11-1811', '0000-00-00'],
  ].map((text): [DataType, string] => ['date', text]),
  ...[
    ...[
      '',
      '2026-11-18',
      '2026-11-18T09',
      '2026-11-18T09:30.5',
      '09:30',
      '2026-11-18T9:30:00',
      '2026-11-18T24:00:00',
    ],
    ...['2026-11-18T09:60:00', '2026-11-18T09:30:60', '2026-02-30T09:30:00'],
    ...['2026-11-18T09:30:00.', '2026-11-18T09:30:00.1234567890', '2026-11-18T09:30:00z'],
    ...['2026-11-18T09:30:00+0500', '2026-11-18T09:30:00+24:00', '2026-11-18T09:30:00+05:60'],
    ...['2026-11-18t09:30:00', '1899-12-31T23:59:59', '2026-11-18T09:30:00-05:00Z'],
  ].map((text): [DataType, string] => ['date-time', text]),
];

const columnOf = (dataType: DataType): Column => ({
  name: 'Column',
  dataType,
  description: '',
  fractionDigits: 9,
  ...(dataType === 'decimal' ? { precision: 6, scale: 2 } : {}),
});

describe('LITERALS', () => {
  it.each(READ)('reads %s %j as %s', (dataType, text, value) => {
    expect(
      LITERALS[dataType].parse(text, 'America/New_York', 'eq', columnOf(dataType)),
    ).toStrictEqual(value);
  });

  it.each(UNREADABLE)('does not read %s %j', (dataType, text) => {
    expect(LITERALS[dataType].parse(text, 'America/New_York', 'eq', columnOf(dataType))).toBeNull();
  });

  it('reads a time without offset on the clock of the market', () => {
    const text = '2026-11-18T09:30:00';
    const chicago = LITERALS['date-time'].parse(
      text,
      'America/Chicago',
      'eq',
      columnOf('date-time'),
    );
    expect(chicago).toBe(utc('2026-11-18T15:30:00Z'));
  });

  it.each(operatorNames())(
    'reads a date as its midnight where %s can mean nothing else',
    (operator) => {
      const { parse } = LITERALS['date-time'];
      const midnight = parse('2026-07-01', 'America/Chicago', operator, columnOf('date-time'));
      const isClear = operator === 'ge' || operator === 'lt';
      expect(midnight).toBe(isClear ? utc('2026-07-01T05:00:00Z') : null);
      expect(parse('2026-06-31', 'America/Chicago', operator, columnOf('date-time'))).toBeNull();
    },
  );
});

describe('the one text of a value', () => {
  it.each(READ)('is read back as the value: %s %j', (dataType, _, value) => {
    const { textOf, parse } = LITERALS[dataType];
    for (const operator of operatorNames()) {
      const text = textOf(value, columnOf(dataType));
      expect(parse(text, 'Asia/Kolkata', operator, columnOf(dataType))).toEqual(value);
    }
  });

  it.each([
    ['integer', -7n, '-7'],
    ['number', 1e21, '1e+21'],
    ['number', 0.1, '0.1'],
    ['date-time', utc('2026-11-18T14:30:00Z', 1n), '2026-11-18T14:30:00.000000001Z'],
    ['date-time', utc('1969-12-31T23:59:59Z', 999_999_999n), '1969-12-31T23:59:59.999999999Z'],
  ] as const)('of the %s %s is %s', (dataType, value, text) => {
    expect(LITERALS[dataType].textOf(value, columnOf(dataType))).toBe(text);
  });
});
