import type { CoverageMap } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import { readCoverageRange, shownDays } from './coverage-range';
import { amissCount, type MapRow, mapCell, mapColumns } from './coverage-screen';

const DAY_MS = 86_400_000;
const dateAt = (start: string, at: number) =>
  new Date(Date.parse(start) + at * DAY_MS).toISOString().slice(0, 10);

function mapOf(start: string, rows: readonly MapRow['states'][]): CoverageMap {
  const count = rows[0]?.length ?? 0;
  const dates = Array.from({ length: count }, (_, at) => dateAt(start, at));
  const dataset = { dataset_id: 'US1', dataset_name: 'A', data_group: 'G', version: 1 };
  const known = { ...dataset, first_trade_date: null, last_trade_date: null };
  const datasets = rows.map((states) => ({ ...known, states }));
  return { start, end: dates.at(-1) ?? start, dates, datasets };
}

describe('the columns of the heat map', () => {
  it('are the days on which any dataset has something to tell', () => {
    const rows: MapRow['states'][] = [
      ['complete', 'no_trading_day', null, 'late'],
      [null, 'no_trading_day', 'missing', null],
    ];
    const columns = mapColumns(mapOf('2026-11-19', rows));
    expect(columns.map(({ first }) => first)).toEqual(['2026-11-19', '2026-11-21', '2026-11-22']);
  });

  it('are weeks of a long range, each day in one of them', () => {
    const states = Array<'complete'>(60).fill('complete');
    // A Wednesday.
    const columns = mapColumns(mapOf('2026-09-02', [states]));
    expect(columns[0]).toMatchObject({ first: '2026-09-02', last: '2026-09-06' });
    expect(columns[1]).toMatchObject({ first: '2026-09-07', last: '2026-09-13' });
    expect(columns.flatMap(({ places }) => places)).toEqual(states.map((_, at) => at));
  });
});

describe('a cell of the heat map', () => {
  const column = { first: '2026-11-16', last: '2026-11-18', places: [0, 1, 2] };
  const rowOf = (...states: MapRow['states']) =>
    mapOf('2026-11-16', [states]).datasets[0] as MapRow;

  it('says its day and what is there', () => {
    const day = { first: '2026-11-18', last: '2026-11-18', places: [2] };
    expect(mapCell(rowOf(null, null, 'late'), day)).toEqual({
      state: 'late',
      text: '2026-11-18: late',
    });
    expect(mapCell(rowOf(null, null, null), day).text).toBe('2026-11-18: no information');
  });

  it('shows the day of a week that most needs attention, and counts all days', () => {
    expect(mapCell(rowOf('complete', 'missing', 'complete'), column)).toEqual({
      state: 'missing',
      text: '2026-11-16 to 2026-11-18: 1 missing, 2 complete',
    });
  });

  it('is amiss where rows are late, missing or withdrawn', () => {
    expect(amissCount(rowOf('late', 'missing', 'withdrawn', 'expected', 'spanned', null))).toBe(3);
  });
});

describe('the days of the heat map', () => {
  it('are those of the address, as far as it can be used', () => {
    expect(readCoverageRange({ days: 90, end: '2026-11-18' })).toEqual({
      days: '90',
      end: '2026-11-18',
    });
    expect(readCoverageRange({ days: '5', end: 'soon' })).toEqual({});
  });

  it('end today, unless another day is chosen', () => {
    const nowMs = Date.parse('2026-03-01T23:00:00Z');
    expect(shownDays({}, nowMs)).toEqual({ start: '2026-01-31', end: '2026-03-01' });
    expect(shownDays({ days: '366', end: '2025-12-31' }, nowMs)).toEqual({
      start: '2024-12-31',
      end: '2025-12-31',
    });
  });
});
