import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset, Variant } from '../catalog/dataset.ts';
import type { DataRequest } from './data-request.ts';
import { PATH_PARAMETERS } from './path-parameters.ts';

/** The variant of a request that does not choose one. */
export const DEFAULT_VARIANT = {
  adjusted: false,
  aggregationLogic: 'vendor_default',
} as const satisfies Variant;

/**
 * The dataset that the path and the variant parameters name; without them the one with raw prices
 * and the vendor's aggregation. A variant parameter that the segment does not have chooses nothing
 * (the planner refuses it). Throws an ApiError 'not found' where there is no such dataset.
 */
export function chooseDataset(request: DataRequest, catalog: Catalog): Dataset {
  const { pathParameters } = request;
  const adjusted = request.adjusted ?? DEFAULT_VARIANT.adjusted;
  const aggregationLogic = request.aggregationLogic ?? DEFAULT_VARIANT.aggregationLogic;
  const dataset = catalog
    .bySegment(request.group, request.segment)
    .find(
      ({ variant, pathShape }) =>
        (variant.adjusted ?? adjusted) === adjusted &&
        (variant.aggregationLogic ?? aggregationLogic) === aggregationLogic &&
        PATH_PARAMETERS[pathShape].length === pathParameters.length,
    );
  if (!dataset || pathParameters.includes('')) throw new ApiError('not found', 'Not Found');
  return dataset;
}
