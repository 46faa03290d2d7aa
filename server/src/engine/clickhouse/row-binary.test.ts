import { expect, it } from 'vitest';
import { typedDataset } from '../../../test/lake/sample-dataset.ts';
import { batchOfRows } from '../columns.ts';
import { bytesOfUnits, unitsOfBytes } from './encodings.ts';
import { encodeRows, withPart } from './row-binary.ts';

it('keeps decimals of 38 digits, in bytes whose order is theirs', () => {
  const units = [-(10n ** 38n) + 1n, -1n, 0n, 1n, 2n ** 64n, 10n ** 38n - 1n];
  const bytes = units.map(bytesOfUnits);
  expect(bytes.map(unitsOfBytes)).toEqual(units);
  expect(bytes.toSorted(Buffer.compare)).toEqual(bytes);
});

it('puts the number of the part before each row, and changes nothing else', () => {
  const { columns } = typedDataset('day');
  const row = ['2026-11-18', 'é', 1n, 0.5, null, ['x'], true, [7n], null, -1n];
  const batch = batchOfRows(columns, [row, row.with(1, 'longer than the other')]);
  const rows = encodeRows(columns, batch, 5);
  const [first = 0, second = 0] = rows.ends;
  expect([second, second - first]).toEqual([rows.bytes.length, first + 19]);
  expect([rows.bytes.readBigInt64LE(0), rows.bytes.readBigInt64LE(first)]).toEqual([5n, 6n]);
  const inserted = withPart(rows, 2n ** 63n + 1n);
  expect(inserted.length).toBe(rows.bytes.length + 16);
  for (const [start, end, at] of [
    [0, first, 8],
    [first, second, 16],
  ] as const) {
    expect(inserted.readBigUInt64LE(start + at - 8)).toBe(2n ** 63n + 1n);
    expect(inserted.subarray(start + at, end + at).equals(rows.bytes.subarray(start, end))).toBe(
      true,
    );
  }
});
