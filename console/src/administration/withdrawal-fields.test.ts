import { describe, expect, it } from 'vitest';
import {
  type WithdrawalValues,
  withdrawalBody,
  withdrawalProblems,
  withdrawalSentences,
} from './withdrawal-fields';

const NONE: WithdrawalValues = {
  ...{ dataset_id: 'US1032', from: '', to: '', identifiers: '', all: false },
  reason: 'a wrong day',
};

const problemsOf = (values: Partial<WithdrawalValues>) =>
  Object.entries(withdrawalProblems({ ...NONE, ...values }))
    .filter(([, problem]) => problem !== '')
    .map(([name]) => name);

describe('a withdrawal', () => {
  it('needs a dataset, a reason, and either all rows or some of them', () => {
    expect(problemsOf({ dataset_id: '', reason: ' ' })).toEqual(['dataset_id', 'all', 'reason']);
    expect(problemsOf({ all: true })).toEqual([]);
    expect(problemsOf({ all: true, identifiers: 'AAPL' })).toEqual(['all']);
    expect(problemsOf({ to: '2025-06-18' })).toEqual(['from']);
    expect(problemsOf({ from: '2025-06-18', to: '2025-06-17' })).toEqual(['to']);
    expect(problemsOf({ from: '2025-06-18', reason: 'x'.repeat(1001) })).toEqual(['reason']);
  });

  it('is sent with what was filled in alone, and one day as a span', () => {
    const some = { ...NONE, from: '2025-06-18', identifiers: ' AAPL, MSFT\nIBM' };
    expect(withdrawalBody(some)).toEqual({
      dataset_id: 'US1032',
      from: '2025-06-18',
      to: '2025-06-18',
      identifiers: ['AAPL', 'MSFT', 'IBM'],
      reason: 'a wrong day',
    });
    expect(withdrawalBody({ ...NONE, all: true })).toEqual({
      dataset_id: 'US1032',
      all: true,
      reason: 'a wrong day',
    });
  });

  it('says how many rows go, and from where', () => {
    const partitions = Array.from({ length: 12 }, (_, i) => `20${10 + i}`);
    expect(withdrawalSentences('US1032', { removed_row_count: 1200, partitions })).toEqual([
      'US1032: 1,200 rows will be removed from 12 partitions.',
      `These lose rows: ${partitions.slice(0, 10).join(', ')} and 2 more.`,
    ]);
    expect(withdrawalSentences('US1032', { removed_row_count: 0, partitions: [] })).toEqual([
      'No rows match, so nothing would be withdrawn.',
    ]);
  });
});
