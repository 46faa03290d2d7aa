import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowPlaces, withoutRows } from './row-places.ts';

const anyRun = fc.record({
  file: fc.constantFrom('a.csv', 'b.csv'),
  line: fc.option(fc.integer({ min: 2, max: 9 }), { nil: null }),
  rowCount: fc.integer({ min: 0, max: 4 }),
});

test('each row has the place that it was added with', () => {
  fc.assert(
    fc.property(fc.array(anyRun, { maxLength: 20 }), (runs) => {
      const places = new RowPlaces();
      for (const run of runs) places.add(run);
      const expected = runs.flatMap(({ file, line, rowCount }) =>
        Array.from({ length: rowCount }, (_, i) => ({
          file,
          line: line === null ? null : line + i,
        })),
      );
      expect(expected.map((_, row) => places.placeOf(row))).toEqual(expected);
      expect([places.placeOf(-1), places.placeOf(expected.length)]).toEqual([null, null]);
    }),
  );
});

test('rows beyond the last run that is kept have their file alone', () => {
  const places = new RowPlaces(2);
  for (const line of [2, 3, 7, 8, 20, 21, 40]) places.add({ file: 'a.csv', line, rowCount: 1 });
  places.add({ file: 'b.csv', line: 2, rowCount: 2 });
  const lines = Array.from({ length: 9 }, (_, row) => places.placeOf(row));
  expect(lines.map((place) => `${place?.file} ${place?.line}`)).toEqual([
    ...[2, 3, 7, 8].map((line) => `a.csv ${line}`),
    ...['a.csv null', 'a.csv null', 'a.csv null', 'b.csv null', 'b.csv null'],
  ]);
});

test('rows that were left out shift those behind them by no line', () => {
  const anyRuns = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 5 })));
  fc.assert(
    fc.property(anyRuns, fc.infiniteStream(fc.boolean()), (lengths, isBad) => {
      let number = 1;
      const runs = lengths.map(([gap, rowCount]) => {
        const run = { file: 'a.csv', line: 100 + number + gap, rowCount, number: number + gap };
        number += gap + rowCount;
        return run;
      });
      const rows = runs.flatMap(({ line, rowCount, number: first }) =>
        Array.from({ length: rowCount }, (_, i) => {
          return { line: line + i, number: first + i, isBad: isBad.next().value === true };
        }),
      );
      const bad = rows.filter((row) => row.isBad).map((row) => row.number);
      const places = new RowPlaces();
      for (const run of withoutRows(runs, bad, bad.length)) places.add(run);
      const good = rows.filter((row) => !row.isBad);
      expect(good.map((_, row) => places.placeOf(row)?.line)).toEqual(good.map(({ line }) => line));
    }),
  );
});

test('too many bad rows leave the file alone known', () => {
  const run = { file: 'a.parquet', line: 1, rowCount: 10, number: 1 };
  expect(withoutRows([run], null, 4)).toEqual([{ file: 'a.parquet', line: null, rowCount: 6 }]);
});
