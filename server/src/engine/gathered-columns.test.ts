import { expect, test } from 'vitest';
import type { Column } from '../catalog/dataset.ts';
import { batchOfRows, type CellValue } from './columns.ts';
import { Codes, Doubles, TextPool } from './gathered-columns.ts';

function vectorOf(dataType: Column['dataType'], cells: readonly CellValue[]) {
  const column = { name: 'X', dataType } as Column;
  const [vector] = batchOfRows(
    [column],
    cells.map((cell) => [cell]),
  ).columns;
  if (!vector) throw new Error('no column');
  return vector;
}

function gathered(doubles: Doubles): number[] {
  return Array.from({ length: doubles.length }, (_, at) => doubles.at(at));
}

test.each([
  ['number', [1.5, null, -0.25, 1e300]],
  ['date', [20_000, null, -1, 0]],
  ['integer', [5n, null, -7n, 2n ** 52n + 1n]],
] as const)('doubles of a column of type %s are its values, null is NaN', (type, cells) => {
  const doubles = new Doubles();
  doubles.append(vectorOf(type, cells), 0, 2);
  doubles.append(vectorOf(type, cells), 1, 4);
  const expected = [0, 1, 1, 2, 3].map((row) => Number(cells[row] ?? Number.NaN));
  expect(gathered(doubles)).toEqual(expected);
});

test('times are exact nanoseconds after a base, also across the halves of 64 bits', () => {
  const base = 1_750_000_000_000_000_000n;
  const offsets = [
    0n,
    1n,
    -1n,
    86_399_999_999_999n,
    4_294_967_296n,
    4_294_967_295n,
    -4_294_967_297n,
  ];
  const doubles = new Doubles();
  const cells = [...offsets.map((offset) => base + offset), null];
  doubles.append(vectorOf('date-time', cells), 0, cells.length, base);
  expect(gathered(doubles)).toEqual([...offsets.map(Number), Number.NaN]);
});

test('doubles and codes grow, and begin anew when they are cleared', () => {
  const pool = new TextPool();
  const [doubles, codes] = [new Doubles(), new Codes(pool)];
  const cells = Array.from({ length: 3000 }, (_, i) => i + 0.5);
  for (let round = 0; round < 2; round++) {
    doubles.append(vectorOf('number', cells), 0, 3000);
    const texts = vectorOf(
      'string',
      cells.map((_, i) => (i % 3 === 0 ? null : `text ${i % 5}`)),
    );
    codes.append(texts, 0, 3000);
    expect([doubles.length, doubles.at(2999)]).toEqual([3000, 2999.5]);
    expect([0, 1, 2, 2999].map((i) => codes.textAt(i))).toEqual([
      null,
      'text 1',
      'text 2',
      'text 4',
    ]);
    doubles.clear();
    codes.clear();
    expect(doubles.length).toBe(0);
  }
});
