/** What files and streams of rows say about where their rows are from. */
import type { QueryPlan } from '../engine/query-plan.ts';
import { findDays } from './date-range.ts';

/** The dates that are read, both inclusive, whoever has limited them; null where an end is open. */
function windowOf({ dataset, predicates }: QueryPlan): string | null {
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column) return null;
  const { first, last } = findDays(column, predicates);
  return first && last && `${first}/${last}`;
}

/** How rows that are made come of those that are stored. */
function makingOf({ bars, restatement }: QueryPlan): Record<string, string> {
  return {
    ...(bars && { 'ticklake.interval': bars.interval }),
    ...(restatement && {
      'ticklake.adjustments': restatement.adjustments,
      ...(restatement.asOf && { 'ticklake.adjusted_as_of': restatement.asOf }),
    }),
  };
}

/**
 * Texts by their names, the same for every request that comes to the same rows of a version. A plan without
 * a version is for a file that stays the same in later ones, so that versions and its window go unsaid, too.
 */
export function labelsOf(plan: QueryPlan): Record<string, string> {
  const { dataset, version, restatement } = plan;
  const rows = { 'ticklake.dataset_id': dataset.datasetId, ...makingOf(plan) };
  if (version === null) return rows;
  const window = windowOf(plan);
  return {
    ...rows,
    'ticklake.dataset_version': `${version}`,
    ...(restatement && { 'ticklake.factors_version': `${restatement.factors.version}` }),
    ...(window && { 'ticklake.window': window }),
  };
}
