import { describe, expect, it } from 'vitest';
import { monthProblem, monthText, rangeProblem, readMonthRange, shownMonths } from './month-range';

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
