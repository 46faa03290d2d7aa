import fc from 'fast-check';
import { expect, it } from 'vitest';
import { typedDataset } from '../../../../test/lake/sample-dataset.ts';
import { isArray } from '../../../catalog/column-types.ts';
import type { Column } from '../../../catalog/dataset.ts';
import { compareBounds, type Verdict } from '../../../plan/prune.ts';
import { anyAsked, anyRows } from '../../conformance/random-plans.ts';
import { type Row, RowSelection } from '../../conformance/select-rows.ts';
import { planOver } from '../../conformance/tested-engine.ts';
import type { BoundValue } from '../../part.ts';
import { groupVerdict } from './group-verdict.ts';
import type { ChunkBounds } from './lake-footer.ts';

const typed = typedDataset('day');

function boundsIn(rows: readonly Row[], column: Column): ChunkBounds | null {
  if (isArray(column.dataType)) return null;
  const c = typed.columns.findIndex(({ name }) => name === column.name);
  const cells = rows.map((row) => row[c] as BoundValue | null);
  const sorted = cells.filter((cell) => cell !== null).sort(compareBounds);
  const [min = null, max = null] = [sorted[0], sorted.at(-1)];
  return { min, max, hasNulls: sorted.length < rows.length };
}

const verdictOf = (passingCount: number, rowCount: number): Verdict => {
  if (passingCount === 0) return 'none';
  return passingCount === rowCount ? 'all' : 'some';
};

it('says that all or no rows of a group pass only if that is so', () => {
  const seen = new Map<Verdict, number>();
  // Few rows, so that many groups pass as a whole.
  const fewRows = anyRows.map((rows) => rows.slice(0, 4)).filter((rows) => rows.length > 0);
  fc.assert(
    fc.property(fewRows, anyAsked, (rows, asked) => {
      const plan = planOver(typed, [], asked);
      const selection = new RowSelection(plan);
      const passing = rows.filter((row) => selection.finds(row));
      const verdict = groupVerdict(plan)((column) => boundsIn(rows, column));
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
      if (verdict !== 'some') expect(verdict).toBe(verdictOf(passing.length, rows.length));
      expect(groupVerdict({ ...plan, grants: [] })(() => null)).toBe('none');
    }),
    { numRuns: 2000 },
  );
  for (const verdict of ['all', 'some', 'none'] as const) {
    expect(seen.get(verdict)).toBeGreaterThan(20);
  }
});
