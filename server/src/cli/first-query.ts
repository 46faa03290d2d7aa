/** A first query to try. */
import type { OpenServices } from '../open-services.ts';

/** A path below the version prefix that finds rows in what is published; null: nothing is. */
export function firstQueryPath({ catalog, lake }: OpenServices): string | null {
  const open = catalog.datasets.find(
    ({ datasetId, pathShape, requiredFilters, variant }) =>
      pathShape === 'query' &&
      requiredFilters.length === 0 &&
      variant.adjusted !== true &&
      variant.aggregationLogic !== 'industry_std' &&
      lake.snapshot(datasetId) !== null,
  );
  return open ? `/data/${open.group}/${open.segment}?limit=3` : null;
}
