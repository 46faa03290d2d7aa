import type { Time, TimeMark } from 'lightweight-charts';
import { expect, it } from 'vitest';
import { fitLabels, tickText } from './chart-theme';

it('labels a day with its month, and leaves longer and shorter times to the library', () => {
  const moment = (Date.parse('2026-03-03') / 1000) as Time;
  expect([0, 1, 2, 3, 4].map((type) => tickText(moment, type, 'en-US'))).toEqual([
    null,
    null,
    'Mar 3',
    null,
    null,
  ]);
});

it('keeps labels whole at both ends, and shows none of what is out of sight', () => {
  const marks: TimeMark[] = [-1, 0, 3, 500, 999, 1001].map((coord) => ({
    ...{ coord, label: 'Sep', weight: 60 as TimeMark['weight'], needAlignCoordinate: false },
  }));
  fitLabels(marks, 1000);
  expect(marks.map(({ label }) => label)).toEqual(['', 'Sep', 'Sep', 'Sep', 'Sep', '']);
  expect(marks.every(({ needAlignCoordinate }) => needAlignCoordinate)).toBe(true);
});
