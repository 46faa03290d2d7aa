import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dataset } from '../catalog/dataset.ts';
import type { Part, RowGroup } from '../engine/part.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { indexedDayStates, partsOfDays, spansOf } from './partitions.ts';

const byYear = {
  dateColumn: 'TradeDate',
  timeZone: 'America/New_York',
  calendar: 'every_day',
  schedule: { days: 'trading', time: '20:30' },
  endDate: null,
  partitioning: { unit: 'year', column: 'TradeDate' },
} as unknown as Dataset;
const byDay = { ...byYear, partitioning: { unit: 'day', column: 'TradeDate' } } as Dataset;

const dayOf = (number: number) => `2025-06-${String(number).padStart(2, '0')}`;
const DATES = Array.from({ length: 30 }, (_, at) => dayOf(at + 1));
const NOW_MS = Date.parse('2025-06-30T12:00:00Z');

/** Rows by the number of their day, in order, in row groups of a size. */
function snapshotOf(days: readonly number[], groupRows: number) {
  const groups: RowGroup[] = [];
  for (let at = 0; at < days.length; at += groupRows) {
    const rows = days.slice(at, at + groupRows);
    const bounds = { min: dayOf(rows[0] as number), max: dayOf(rows.at(-1) as number) };
    groups.push({ rowCount: rows.length, byteCount: 1, bounds: { TradeDate: bounds } });
  }
  const [firstDate, lastDate] = [dayOf(days[0] as number), dayOf(days.at(-1) as number)];
  const snapshot = { firstDate, lastDate, parts: [{ key: '2025' }] } as unknown as DatasetSnapshot;
  return { snapshot, spans: spansOf(byYear, snapshot, groups) };
}

const sortedDays = fc
  .array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 60 })
  .map((days) => days.sort((a, b) => a - b));

describe('the days of a dataset by its index', () => {
  it('are never missing where there are rows, nor complete where there are none', () => {
    fc.assert(
      fc.property(sortedDays, fc.integer({ min: 1, max: 20 }), (days, groupRows) => {
        const indexed = { dataset: byYear, ...snapshotOf(days, groupRows) };
        const states = indexedDayStates({ ...indexed, withdrawnKeys: new Set() }, DATES, NOW_MS);
        const [first, last] = [days[0] as number, days.at(-1) as number];
        for (const [at, state] of states.entries()) {
          const number = at + 1;
          const truth = days.includes(number) ? ['complete', 'spanned'] : ['missing', 'spanned'];
          if (number < first) expect(state).toBeNull();
          else if (number > last) expect(['late', 'expected']).toContain(state);
          else expect(truth, `${number} of ${days}`).toContain(state);
        }
        expect(states[first - 1]).toBe('complete');
        expect(states[last - 1]).toBe('complete');
      }),
    );
  });

  it('are all known where each day has row groups of its own', () => {
    const indexed = { dataset: byYear, ...snapshotOf([3, 5, 6], 1), withdrawnKeys: new Set('') };
    expect(indexedDayStates(indexed, DATES.slice(1, 7), NOW_MS)).toEqual([
      null,
      ...['complete', 'missing', 'complete', 'complete', 'late'],
    ]);
  });

  it('go by the keys of partitions that are days, and tell what was withdrawn', () => {
    const parts = [{ key: dayOf(3) }, { key: dayOf(6) }];
    const snapshot = { firstDate: dayOf(3), lastDate: dayOf(6), parts } as never;
    const indexed = { dataset: byDay, snapshot, spans: [], withdrawnKeys: new Set([dayOf(4)]) };
    expect(indexedDayStates(indexed, DATES.slice(1, 6), NOW_MS)).toEqual([
      ...[null, 'complete', 'withdrawn', 'missing', 'complete'],
    ]);
    const closed = { ...indexed, dataset: { ...byDay, endDate: dayOf(6) } };
    expect(indexedDayStates(closed, [dayOf(6), dayOf(7)], NOW_MS)).toEqual(['complete', null]);
  });

  it('have nothing to tell of a dataset that was never published', () => {
    const indexed = { dataset: byDay, snapshot: null, spans: [], withdrawnKeys: new Set('') };
    expect(indexedDayStates(indexed, DATES.slice(0, 2), NOW_MS)).toEqual([null, null]);
  });

  it('ask for the parts alone that may have rows of them', () => {
    const parts = ['2024', '2025', '2026'].map((key) => ({ key })) as Part[];
    const keys = (start: string, end: string) =>
      partsOfDays(byYear, parts, { start, end }).map(({ key }) => key);
    expect(keys('2024-12-31', '2025-01-01')).toEqual(['2024', '2025']);
    expect(keys('2025-01-01', '2025-12-31')).toEqual(['2025']);
  });
});
