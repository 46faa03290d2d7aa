/** The rules by which trades count into bars: the vendor's own, or those of the consolidated tapes. */
export const AGGREGATION_LOGICS = ['vendor_default', 'industry_std'] as const;
export type AggregationLogic = (typeof AGGREGATION_LOGICS)[number];
