import { expect, it } from 'vitest';
import { pruningSentences } from './pruning-text';

const dropped = (dataset_id: string, versions: number[]) => {
  return { dataset_id, versions, first_version: Math.max(...versions) + 1, byte_count: 1000 };
};

it('what pruning drops is told for each dataset, and in all', () => {
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
