import { expect, it } from 'vitest';
import { segmentsOf } from './pages.ts';

it('cuts a page out of runs, wherever it begins and ends', () => {
  const runs = [
    { start: 10, end: 20 },
    { start: 30, end: 31 },
    { start: 40, end: 100 },
  ];
  const places = runs.flatMap(({ start, end }) =>
    Array.from({ length: end - start }, (_, i) => start + i),
  );
  for (const offset of [0, 1, 9, 10, 11, 12, 70, 71, 500]) {
    for (const limit of [1, 2, 11, 12, 1000]) {
      const found = segmentsOf(runs, offset, limit).flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, i) => start + i),
      );
      expect(found).toEqual(places.slice(offset, offset + limit));
    }
  }
});
