import { expect, test } from 'vitest';
import type { Dataset } from '../catalog/dataset.ts';
import type { IndexedPart } from '../store/lake-index.ts';
import { gapsOf } from './find-due.ts';
import type { Slice } from './slices.ts';

const ticks = { textId: 'ticks', calendar: 'XNYS' } as Dataset;

function slice(day: string, isThere = true): Slice {
  const part = isThere ? ({ key: day } as IndexedPart) : null;
  return { key: day, label: day, part, dates: { start: day, end: day }, outputKey: day };
}

const days = ['2025-06-12', '2025-06-13', '2025-06-16', '2025-06-18', '2025-06-20', '2025-06-30'];

test.each([
  ['over weekends and holidays are none', ['2025-06-13'], []],
  ['are told of the days on both sides', ['2025-06-16'], ['no rows on 2025-06-17, a trading day']],
  ['after a day', ['2025-06-18'], ['no rows on 2025-06-17, a trading day']],
  [
    'of many days are one',
    ['2025-06-30'],
    ['no rows from 2025-06-23 to 2025-06-27, 5 trading days'],
  ],
  ['beside days that are not computed are not told', ['2025-06-12'], []],
])('gaps %s', (_, chosen, expected) => {
  const found = gapsOf(
    () => ticks,
    days.map((day) => slice(day)),
    ({ label }) => chosen.includes(label),
  );
  expect(found).toEqual(expected.map((text) => `ticks has ${text}`));
});

test('a day that was withdrawn is a gap, and months have none', () => {
  const slices = days.map((day) => slice(day, day !== '2025-06-13'));
  expect(
    gapsOf(
      () => ticks,
      slices,
      () => true,
    ),
  ).toContain('ticks has no rows on 2025-06-13, a trading day');
  const month = { ...slice('2025-06-18'), dates: { start: '2025-06-01', end: '2025-06-30' } };
  expect(
    gapsOf(
      () => ticks,
      [slice('2025-05-05'), month],
      () => true,
    ),
  ).toEqual([]);
});
