/** The paths of data endpoints, as they are documented. */
import type { Dataset, PathShape } from '../catalog/dataset.ts';

export const PATH_PARAMETERS: Record<PathShape, readonly string[]> = {
  tick: ['trade_date', 'identifier'],
  identifier: ['identifier'],
  query: [],
};

/** Path template of a dataset below the version prefix. */
export function datasetPath(dataset: Dataset): string {
  const parameters = PATH_PARAMETERS[dataset.pathShape].map((name) => `/{${name}}`).join('');
  return `/data/${dataset.group}/${dataset.segment}${parameters}`;
}
