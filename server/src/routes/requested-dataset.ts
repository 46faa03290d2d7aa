import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { DataExchange } from './endpoint.ts';

/**
 * The dataset that the path of a request names by its catalogue id; a text id is none. Throws an
 * ApiError 'not found'.
 */
export function requestedDataset({ services, request }: DataExchange): Dataset {
  const { dataset_id: datasetId } = request.params as { dataset_id: string };
  const dataset = services.catalog.byId(datasetId);
  if (dataset) return dataset;
  throw new ApiError('not found', 'The dataset with the specified id is not found');
}
