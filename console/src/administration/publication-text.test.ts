import { describe, expect, it } from 'vitest';
import {
  canRollBack,
  isPublicationFound,
  pruningSentences,
  rollbackSentences,
  statusSummary,
  versionSentences,
  type WithdrawalValues,
  withdrawalBody,
  withdrawalProblems,
  withdrawalSentences,
} from './publication-text';

const ROWS = [
  { dataset_id: 'US1', dataset_name: 'Trades', data_group: 'Equity', status_code: 'current' },
  { dataset_id: 'US2', dataset_name: 'Quotes', data_group: 'Equity', status_code: 'late' },
  { dataset_id: 'US3', dataset_name: 'Trades', data_group: 'Option', status_code: 'current' },
] as const;

describe('the publications', () => {
  it('are found by words', () => {
    const idsOf = (text: string) =>
      ROWS.filter((row) => isPublicationFound(row, text)).map(({ dataset_id }) => dataset_id);
    expect(idsOf('trades option')).toEqual(['US3']);
    expect(idsOf('us2')).toEqual(['US2']);
    expect(idsOf('')).toEqual(['US1', 'US2', 'US3']);
  });

  it('are counted by status', () => {
    expect(statusSummary(ROWS)).toBe('3 datasets: 2 current, 1 late');
    expect(statusSummary([])).toBe('0 datasets');
  });
});

const dataset = {
  dataset_id: 'US1032',
  version: 2,
  added_partition_count: 0,
  replaced_partition_count: 1,
  removed_partition_count: 0,
  row_count_before: 1200,
  row_count_after: 1,
  byte_count_before: 1,
  byte_count_after: 1,
  content_digest: null,
  rolled_back_by: null,
};
const record = { publication_id: 2, state: 'published', datasets: [dataset] } as const;

describe('the effect of a roll back', () => {
  it('is told for each dataset that still has what was published', () => {
    const undone = { ...dataset, dataset_id: 'US1001', rolled_back_by: 3 };
    expect(rollbackSentences({ ...record, datasets: [dataset, undone] })).toEqual([
      'US1032: 1 partition will go back to 1,200 rows (1 now).',
    ]);
  });

  it('is only counted for more datasets than a dialog has room for', () => {
    const datasets = Array.from({ length: 12 }, (_, at) => ({ ...dataset, dataset_id: `D${at}` }));
    const sentences = rollbackSentences({ ...record, datasets });
    expect(sentences).toHaveLength(11);
    expect(sentences.at(-1)).toBe('And those of 2 more datasets.');
  });

  it('is told for a version by what became of it since', () => {
    const totals = (row_count: number) => ({ row_count, byte_count: 1, content_digest: 'x' });
    const partitions = [
      { key: '2025', change: 'replaced', before: totals(1200), after: totals(1) },
      { key: '2026', change: 'added', before: null, after: totals(10) },
    ] as const;
    const versions = { dataset_id: 'US1032', from_version: 2, to_version: 5, next_after: null };
    const difference = { ...versions, partition_count: 2, partitions };
    expect(versionSentences(difference)).toBe(
      'US1032: 2 partitions will go back to version 2, with 1,200 rows (11 now).',
    );
    expect(versionSentences({ ...difference, partition_count: 3 })).toBe(
      'US1032: 3 partitions will go back to version 2.',
    );
  });

  it('is possible only for what was published and not undone yet', () => {
    expect(canRollBack(record)).toBe(true);
    expect(canRollBack({ ...record, state: 'rolled_back' })).toBe(false);
    expect(canRollBack({ ...record, state: 'refused' })).toBe(false);
    expect(canRollBack({ ...record, datasets: [{ ...dataset, version: null }] })).toBe(false);
  });
});

const dropped = (dataset_id: string, versions: number[]) => {
  return { dataset_id, versions, first_version: Math.max(...versions) + 1, byte_count: 1000 };
};

it('each dataset and the total of a pruning are announced', () => {
  const datasets = [dropped('US1032', [1, 2, 4]), dropped('US1001', [7])];
  const sentences = pruningSentences({ datasets, byte_count: 2000 });
  expect(sentences).toHaveLength(3);
  expect(sentences[0]).toContain('US1032: 3 versions from 1 to 4 will be removed (');
  expect(sentences[1]).toContain('US1001: version 7 will be removed (');
  const many = Array.from({ length: 12 }, (_, i) => dropped(`US${i}`, [1]));
  expect(pruningSentences({ datasets: many, byte_count: 1 })).toContain(
    'And versions of 2 more datasets.',
  );
});

it('that retention keeps everything is told as such', () => {
  expect(pruningSentences({ datasets: [], byte_count: 0 })).toEqual([
    'Nothing to prune: retention keeps every version.',
  ]);
});

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
