/** How much one data request may ask for; how many rows is up to its format. Past `urlBytesMax` it is 'too long', past the others 'invalid'. */
export interface DataRequestLimits {
  readonly urlBytesMax: number;
  readonly filtersMax: number;
  readonly inValuesMax: number;
  readonly sortFieldsMax: number;
  readonly offsetMax: number;
  /** The value of `aggregation_logic` that names the vendor's own logic. */
  readonly vendorAggregationLogic: string;
}

export const DEFAULT_DATA_REQUEST_LIMITS: DataRequestLimits = {
  urlBytesMax: 16_384,
  filtersMax: 64,
  inValuesMax: 1_000,
  sortFieldsMax: 16,
  offsetMax: 1_000_000_000_000,
  vendorAggregationLogic: 'algoseek',
};
