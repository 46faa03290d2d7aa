import type { ResponseFormat } from './response-format.ts';

interface RowLimit {
  readonly default: number;
  readonly max: number;
}

/** How much one data request may ask for. Past `urlBytesMax` it is a 414, past the others a 422. */
export interface DataRequestLimits {
  readonly urlBytesMax: number;
  readonly filtersMax: number;
  readonly inValuesMax: number;
  readonly sortFieldsMax: number;
  readonly offsetMax: number;
  readonly rowLimits: Readonly<Record<ResponseFormat, RowLimit>>;
  /** The value of `aggregation_logic` that names the vendor's own logic. */
  readonly vendorAggregationLogic: string;
}

export const DEFAULT_DATA_REQUEST_LIMITS: DataRequestLimits = {
  urlBytesMax: 16_384,
  filtersMax: 64,
  inValuesMax: 1_000,
  sortFieldsMax: 16,
  offsetMax: 1_000_000_000_000,
  rowLimits: {
    json: { default: 1_000, max: 10_000 },
    csv: { default: 3_000, max: 30_000 },
    csv_gzip: { default: 8_000, max: 80_000 },
  },
  vendorAggregationLogic: 'algoseek',
};
