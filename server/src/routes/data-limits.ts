/** How much one data request may ask for, from the settings. */

import {
  type DataRequestLimits,
  DEFAULT_DATA_REQUEST_LIMITS,
} from '../request/data-request-limits.ts';
import type { Config } from '../settings/config.ts';

export function requestLimits(config: Config): DataRequestLimits {
  const { urlBytesMax, filtersMax, inValuesMax, sortFieldsMax, offsetMax } = config;
  return {
    ...DEFAULT_DATA_REQUEST_LIMITS,
    urlBytesMax,
    filtersMax,
    inValuesMax,
    sortFieldsMax,
    offsetMax,
    vendorAggregationLogic: config.vendorAggregationLogic,
  };
}
