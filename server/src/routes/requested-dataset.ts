/**
 * The dataset that the path of a request names by its catalogue id, and who may know more of it.
 */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ReaderNow } from '../query/reader.ts';
import type { AccessRule } from '../store/access-rules.ts';
import type { DataExchange } from './endpoint.ts';

/** A text id is none. Throws an ApiError 'not found'. */
export function requestedDataset({ services, request }: DataExchange): Dataset {
  const { dataset_id: datasetId } = request.params as { dataset_id: string };
  const dataset = services.catalog.byId(datasetId);
  if (dataset) return dataset;
  throw new ApiError('not found', 'The dataset with the specified id is not found');
}

/** The rules by which the caller's account reads a dataset; an ApiError 'forbidden' without any. */
export function requireRules(
  { services, caller }: ReaderNow,
  { datasetId }: Dataset,
): readonly AccessRule[] {
  const { account } = caller;
  const { replica } = services.store;
  const rules = account ? replica.rulesOfDataset(account.accountId, datasetId) : [];
  if (rules.length > 0) return rules;
  throw new ApiError('forbidden', `This identity does not have access to dataset ${datasetId}`);
}
