import { describe, expect, it } from 'vitest';
import { namedPeriods, periodProblem, readUsagePeriod } from './usage-period';
import { usageCsv } from './usage-text';

const NAMES = { datasetOf: (id: string) => `Name, of ${id}`, keyOf: () => '=HYPERLINK("x")' };
const AMOUNTS = { requests: 2, data_scanned: 30, data_returned: 4 };

describe('usage as CSV', () => {
  it('has a line for each day, dataset and key, and no formula', () => {
    const data = [
      { day: '2026-11-20', dataset_id: 'US1020', key_id: 7, ...AMOUNTS },
      { day: '2026-11-21', dataset_id: null, key_id: null, ...AMOUNTS },
    ];
    expect(usageCsv({ data }, NAMES)).toBe(
      [
        '"day","dataset_id","dataset","key_id","key","requests","data_scanned","data_returned"',
        `"2026-11-20","US1020","Name, of US1020",7,"'=HYPERLINK(""x"")",2,30,4`,
        '"2026-11-21","","","","session",2,30,4',
        '',
      ].join('\r\n'),
    );
  });
});

describe('a period', () => {
  it('is read from the address, without what is no day', () => {
    expect(readUsagePeriod({ from: '2026-11-01', to: 'today' })).toEqual({ from: '2026-11-01' });
    expect(readUsagePeriod({ from: '2026-13-01' })).toEqual({});
  });

  it('ends after it begins, and is at most 366 days long', () => {
    expect(periodProblem({ from: '2026-01-01', to: '2026-01-01' })).toBe('');
    expect(periodProblem({ from: '2026-01-02', to: '2026-01-01' })).not.toBe('');
    expect(periodProblem({ from: '2026-01-01', to: '2027-01-01' })).toBe('');
    expect(periodProblem({ from: '2026-01-01', to: '2027-01-02' })).toContain('366');
  });

  it('has names for those that people ask for', () => {
    const [, lastMonth, days] = namedPeriods(Date.parse('2026-01-15T12:00:00Z'));
    expect(lastMonth?.period).toEqual({ from: '2025-12-01', to: '2025-12-31' });
    expect(days?.period).toEqual({ from: '2025-10-18', to: '2026-01-15' });
  });
});
