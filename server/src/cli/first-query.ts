/** A first query to try. */
import type { OpenServices } from '../open-services.ts';

/** A path below the version prefix that finds rows in what is published; null: nothing is. */
export async function firstQueryPath({ catalog, lake }: OpenServices): Promise<string | null> {
  const open = catalog.datasets.filter(
    ({ pathShape, requiredFilters, variant }) =>
      pathShape === 'query' &&
      requiredFilters.length === 0 &&
      variant.adjusted !== true &&
      variant.aggregationLogic !== 'industry_std',
  );
  for (const { datasetId, group, segment } of open) {
    if (await lake.snapshot(datasetId)) return `/data/${group}/${segment}?limit=3`;
  }
  return null;
}
