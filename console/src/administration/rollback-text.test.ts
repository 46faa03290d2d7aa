import { describe, expect, it } from 'vitest';
import { canRollBack, rollbackSentences, versionSentences } from './rollback-text';

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

describe('what a roll back will do', () => {
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
