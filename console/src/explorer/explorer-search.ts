/** Read by the router, hence small. */
import { readEach, readTab, type Search, textOf } from '../layout/known-search';

export const CHART_RANGES = ['1D', '5D', '1M', '6M', '1Y', 'All'] as const;
export type ChartRange = (typeof CHART_RANGES)[number];

/** From short to long; the first one and `1d` may be stored ones. */
export const BAR_INTERVALS = ['1m', '5m', '15m', '1h', '1d', '1w', '1mo'] as const;
export type BarInterval = (typeof BAR_INTERVALS)[number];
/** Ticks are events one by one. */
const CHART_INTERVALS = ['tick', ...BAR_INTERVALS] as const;
export type ChartInterval = (typeof CHART_INTERVALS)[number];

/** Null: by the dates of the query, and by the span. */
export interface ChartChoice {
  readonly range: ChartRange | null;
  readonly interval: ChartInterval | null;
}

const EXPLORER_TABS = ['rows', 'chart', 'request'] as const;
export type ExplorerTab = (typeof EXPLORER_TABS)[number];

const TEXT_NAMES = [
  // Catalogue id, such as `US1020`; it decides the variant too.
  'dataset',
  // Trade date of the path.
  'date',
  'identifier',
  'from',
  'to',
  'period',
  // Absent: the current one.
  'version',
  // Separated by commas, in the order of the answer.
  'columns',
  // Separated by commas, `-` before those that go downwards.
  'sort',
] as const;
export type TextName = (typeof TEXT_NAMES)[number];

export interface ExplorerSearch extends Readonly<Partial<Record<TextName, string>>> {
  /** `Column.operator=value` each. */
  readonly filters?: readonly string[];
  readonly tab?: ExplorerTab;
  /** Span of the chart; the dates of the query, or the default, if absent. */
  readonly range?: ChartRange;
  /** Length of the chart's bars; by its span if absent. */
  readonly interval?: ChartInterval;
  /** The rows were asked for. */
  readonly run?: true;
  /** A chart of anything in the dataset is wanted. */
  readonly example?: true;
}

export function readExplorerSearch(search: Search): ExplorerSearch {
  const given = Array.isArray(search.filters) ? search.filters : [search.filters];
  const filters = given.flatMap((filter) => textOf(filter) ?? []);
  const range = CHART_RANGES.find((name) => name === search.range);
  const interval = CHART_INTERVALS.find((name) => name === search.interval);
  const { tab = 'rows' } = readTab(EXPLORER_TABS, search);
  return {
    ...readEach(TEXT_NAMES, search, textOf),
    ...(filters.length > 0 && { filters }),
    ...(tab !== 'rows' && { tab }),
    ...(range && { range }),
    ...(interval && { interval }),
    ...(search.run === true && { run: true as const }),
    ...(search.example === true && { example: true as const }),
  };
}
