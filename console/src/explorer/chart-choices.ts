/** What people choose of a chart; read by the router, hence small. */

export const CHART_RANGES = ['1D', '5D', '1M', '6M', '1Y', 'All'] as const;
export type ChartRange = (typeof CHART_RANGES)[number];

/** From short to long; the first one and `1d` may be stored ones. */
export const CHART_INTERVALS = ['1m', '5m', '15m', '1h', '1d', '1w', '1mo'] as const;
export type ChartInterval = (typeof CHART_INTERVALS)[number];

/** What is chosen; null: by the dates of the query, and by the span. */
export interface ChartChoice {
  readonly range: ChartRange | null;
  readonly interval: ChartInterval | null;
}
