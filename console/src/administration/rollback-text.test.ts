import { describe, expect, it } from 'vitest';
import { canRollBack, rollbackSentences } from './rollback-text';

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
      'US1032: 1 partition will again have the 1,200 rows from before, in place of 1 now.',
    ]);
  });

  it('is possible only for what was published and not undone yet', () => {
    expect(canRollBack(record)).toBe(true);
    expect(canRollBack({ ...record, state: 'rolled_back' })).toBe(false);
    expect(canRollBack({ ...record, state: 'refused' })).toBe(false);
    expect(canRollBack({ ...record, datasets: [{ ...dataset, version: null }] })).toBe(false);
  });
});
