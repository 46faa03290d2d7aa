import { describe, expect, it } from 'vitest';
import { matchingPublications, statusSummary } from './publication-search';

const ROWS = [
  { dataset_id: 'US1', dataset_name: 'Trades', data_group: 'Equity', status_code: 'current' },
  { dataset_id: 'US2', dataset_name: 'Quotes', data_group: 'Equity', status_code: 'late' },
  { dataset_id: 'US3', dataset_name: 'Trades', data_group: 'Option', status_code: 'current' },
] as const;

describe('the publications', () => {
  it('are found by words and by status', () => {
    const idsOf = (text: string, status: 'late' | null) =>
      matchingPublications(ROWS, text, status).map(({ dataset_id }) => dataset_id);
    expect(idsOf('trades option', null)).toEqual(['US3']);
    expect(idsOf('', 'late')).toEqual(['US2']);
    expect(idsOf('us3', 'late')).toEqual([]);
  });

  it('are counted by status', () => {
    expect(statusSummary(ROWS)).toBe('3 datasets: 2 current, 1 late');
    expect(statusSummary([])).toBe('0 datasets');
  });
});
