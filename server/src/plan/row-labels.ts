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

/**
 * Texts by their names, the same for every request that comes to the same rows of a version. A plan without
 * a version is for a file that stays the same in later ones, so that its window goes unsaid, too.
 */
export function labelsOf(plan: QueryPlan): Record<string, string> {
  const { dataset, version, bars, restatement } = plan;
  const id = { 'ticklake.dataset_id': dataset.datasetId };
  if (version === null) return id;
  const window = windowOf(plan);
  return {
    ...id,
    'ticklake.dataset_version': `${version}`,
    ...(window && { 'ticklake.window': window }),
    ...(bars && { 'ticklake.interval': bars.interval }),
    ...(restatement && {
      'ticklake.adjustments': restatement.adjustments,
      ...(restatement.asOf && { 'ticklake.adjusted_as_of': restatement.asOf }),
      'ticklake.factors_version': `${restatement.factors.version}`,
    }),
  };
}
