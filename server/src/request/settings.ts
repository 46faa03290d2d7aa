/** How much one data request may ask for. Past `urlBytesMax` it is a 414, past the others a 422. */
import { FORMAT_SETTINGS } from '../formats/settings.ts';
import { defaultsOf, integer, setting, textOf, type ValuesOf } from '../schema/setting.ts';

export const DATA_REQUEST_SETTINGS = {
  ...FORMAT_SETTINGS,
  urlBytesMax: setting(
    'TICKLAKE_URL_BYTES_MAX',
    integer(256, 65_536),
    16_384,
    'Longest request URL; a longer one gets a 414.',
  ),
  filtersMax: setting(
    'TICKLAKE_FILTERS_MAX',
    integer(1, 1000),
    64,
    'Maximum number of filters in one request.',
  ),
  inValuesMax: setting(
    'TICKLAKE_IN_VALUES_MAX',
    integer(1, 100_000),
    1000,
    'Maximum number of values in one `.in` list.',
  ),
  sortFieldsMax: setting(
    'TICKLAKE_SORT_FIELDS_MAX',
    integer(1, 100),
    16,
    'Maximum number of fields in one `sort`.',
  ),
  offsetMax: setting('TICKLAKE_OFFSET_MAX', integer(0, 1e12), 1e12, 'Largest `offset`.'),
  vendorAggregationLogic: setting(
    'TICKLAKE_VENDOR_AGGREGATION_LOGIC',
    textOf('lower-case letters, digits and underscores, but not industry_std', (text) =>
      /^[a-z][a-z0-9_]{0,39}$/.test(text) && text !== 'industry_std' ? text : undefined,
    ),
    'algoseek',
    "The value of `aggregation_logic` that selects the vendor's own variant.",
  ),
};

export type DataRequestLimits = ValuesOf<typeof DATA_REQUEST_SETTINGS>;

export const DEFAULT_DATA_REQUEST_LIMITS: DataRequestLimits = defaultsOf(DATA_REQUEST_SETTINGS);
