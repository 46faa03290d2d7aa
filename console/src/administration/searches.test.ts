import { describe, expect, it } from 'vitest';
import {
  auditParameters,
  monthProblem,
  monthText,
  rangeProblem,
  readAuditFilter,
  readHistoryFilter,
  readMonthRange,
  shownMonths,
} from './searches';

describe('the filter of the audit log', () => {
  it('takes from an address only what it knows and can use', () => {
    const search = { actor: 'person:1', operation: '', target: 7, from: '2026-02-31x', to: 'soon' };
    expect(readAuditFilter({ ...search, other: 'x' })).toEqual({ actor: 'person:1' });
  });

  it('asks for the newest first, and for the whole of the last day', () => {
    expect(auditParameters({ from: '2026-02-27', to: '2026-02-28' })).toEqual({
      newest_first: 'true',
      from: '2026-02-27',
      to: '2026-03-01',
    });
  });
});

describe('the filter of the history', () => {
  it('takes from an address only what it knows', () => {
    const search = { dataset: 'US1032', state: 'rolled_back', other: 'x' };
    expect(readHistoryFilter(search)).toEqual({ dataset: 'US1032', state: 'rolled_back' });
    expect(readHistoryFilter({ dataset: 7, state: 'toString' })).toEqual({});
    expect(readHistoryFilter({ dataset: '', state: 'ended' })).toEqual({});
    expect(readHistoryFilter({ state: 'open' })).toEqual({ state: 'open' });
  });
});

const NOW_MS = Date.parse('2026-11-25T04:00:00Z');

describe('the months of usage', () => {
  it('are read from the address where they are months', () => {
    expect(readMonthRange({ from: '2026-01', to: '2026-13' })).toEqual({ from: '2026-01' });
    expect(readMonthRange({ from: 5, to: '2026-02' })).toEqual({ to: '2026-02' });
  });

  it('are this one unless others are chosen', () => {
    expect(shownMonths({}, NOW_MS)).toEqual({ from: '2026-11', to: '2026-11' });
    expect(shownMonths({ from: '2026-09' }, NOW_MS)).toEqual({ from: '2026-09', to: '2026-11' });
    expect(shownMonths({ to: '2026-09' }, NOW_MS)).toEqual({ from: '2026-09', to: '2026-09' });
  });

  it('do not end before they begin', () => {
    expect(rangeProblem({ from: '2026-09', to: '2026-09' })).toBe('');
    expect(rangeProblem({ from: '2026-12', to: '2026-02' })).not.toBe('');
  });

  it('may be typed in other ways, but must be months', () => {
    expect(['202611', ' 2026/11', 'Nov'].map(monthText)).toEqual(['2026-11', '2026-11', 'Nov']);
    expect(monthProblem('2026-11')).toBe('');
    for (const text of ['', '2026', '2026-13', 'Nov']) expect(monthProblem(text)).not.toBe('');
  });
});
