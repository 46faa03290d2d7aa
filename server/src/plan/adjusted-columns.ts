/**
 * What requests for rows that are restated on request may name: filters choose among the rows as they were traded, so
 * they may be on what restating leaves alone.
 */
import { ADJUSTMENT_COLUMNS, isAdjusted } from '@ticklake/market/adjustment.ts';
import type { Problem } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { isRestatable } from '../catalog/derivation.ts';
import { isRestated } from '../request/adjustment-parameters.ts';
import type { DataRequest } from '../request/data-request.ts';
import { alternatives, problemAt } from '../request/request-problem.ts';

const RESTATED = "with adjusted_as_of and with adjustments other than 'all'";

function isComputed(column: string): boolean {
  return isAdjusted(column) || (ADJUSTMENT_COLUMNS as readonly string[]).includes(column);
}

function findUnfitFilters({ filters }: DataRequest, dataset: Dataset): Problem[] {
  const unfit = filters.filter(
    ({ column }) => dataset.columnByName.has(column) && isComputed(column),
  );
  const fit = dataset.columns.map(({ name }) => name).filter((name) => !isComputed(name));
  return unfit.map(({ name, texts }) => {
    const msg = `Filters should be on ${alternatives(fit)} ${RESTATED}`;
    return problemAt(['query', name], 'unfit_filter', msg, texts.join(','), { columns: fit });
  });
}

/** Stored rows were adjusted by the factors of their own time. */
function findUnusedVersion({ parameterTexts }: DataRequest): Problem[] {
  const text = parameterTexts.get('factors_version');
  if (text === undefined) return [];
  const msg = `factors_version applies only ${RESTATED}`;
  return [problemAt(['query', 'factors_version'], 'inapplicable_parameter', msg, text)];
}

/** What such a request may not ask for; with `interval`, that refuses as much. */
export function findUnfitForAdjusting(request: DataRequest, dataset: Dataset): Problem[] {
  const { adjustment, interval } = request;
  if (!isRestatable(dataset)) return [];
  if (!isRestated(adjustment)) return findUnusedVersion(request);
  if (interval !== null) return [];
  return findUnfitFilters(request, dataset);
}
