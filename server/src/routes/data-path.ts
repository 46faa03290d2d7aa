/** The paths of data endpoints, as they are documented. */
import type { Dataset } from '../catalog/dataset.ts';
import { PATH_PARAMETERS } from '../request/data-request.ts';

/** Path template of a dataset below the version prefix. */
export function datasetPath(dataset: Dataset): string {
  const parameters = PATH_PARAMETERS[dataset.pathShape].map((name) => `/{${name}}`).join('');
  return `/data/${dataset.group}/${dataset.segment}${parameters}`;
}
