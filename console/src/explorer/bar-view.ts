/** What the chart of bars begins with: its days and its interval, and what is read for them. */
import {
  daysBetween,
  daysOfRows,
  firstDayOf,
  intervalOfDays,
  intervalsOf,
  storedInterval,
} from './bar-range';
import { type BarPlan, filteredColumns, symbolsOf } from './bar-request';
import type { BarLimits } from './bar-store';
import type { ChartChoice, ChartInterval, ChartRange } from './chart-choices';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerRequest } from './explorer-request';

/** About a hundred thousand bars come in a few megabytes: a year of the market's minutes. */
const STEP_BARS = 120_000;
/** A year of minutes with what is traded before and after hours, and as much again. */
const BARS_MAX = 500_000;

export interface BarView {
  readonly first: string;
  readonly interval: ChartInterval;
  /** Null: the dates of the query. */
  readonly range: ChartRange | null;
  readonly offered: readonly ChartInterval[];
  readonly limits: BarLimits;
}

/** Days that the dataset has and the account's rules let through. */
export interface Extent {
  readonly start: string;
  readonly last: string;
}

/** The extent within the rules. */
function extentOf({ rules }: Pick<DatasetShape, 'rules'>, whole: Extent): Extent {
  const starts = rules.map(({ start_date }) => start_date).toSorted();
  const ends = rules.map(({ end_date }) => end_date ?? whole.last).toSorted();
  const [start = whole.start, end = whole.last] = [starts[0], ends.at(-1)];
  return {
    start: clamp(start, whole),
    last: clamp(end, whole),
  };
}

/** The dates of the query; '' where it has none. */
function datesOf({ parameters }: ExplorerRequest): { readonly from: string; readonly to: string } {
  const textOf = (name: string) => parameters.find(({ field }) => field === name)?.value ?? '';
  const from = textOf('from');
  const isOneDay = parameters.some(({ name, field }) => field === 'from' && !name.includes('.'));
  return { from, to: isOneDay ? from : textOf('to') };
}

function clamp(date: string, { start, last }: Extent): string {
  if (date < start) return start;
  return date > last ? last : date;
}

export function barView(
  request: ExplorerRequest,
  plan: BarPlan,
  shape: DatasetShape,
  whole: Extent,
  choice: ChartChoice,
): BarView {
  const extent = extentOf(shape, whole);
  const { from, to } = datesOf(request);
  const last = to === '' ? extent.last : clamp(to, extent);
  const fallback = storedInterval(plan) === '1m' ? '5D' : '1Y';
  const range = choice.range ?? (from === '' ? fallback : null);
  const first = range === null ? clamp(from, extent) : firstDayOf(range, last, extent.start);
  const offered = intervalsOf(shape, plan, filteredColumns(request));
  const days = Math.max(1, daysBetween(first, last));
  const isOffered = choice.interval !== null && offered.includes(choice.interval);
  const interval = isOffered ? choice.interval! : intervalOfDays(days, offered);
  const stepBars = Math.min(STEP_BARS, shape.limits.arrow.maximum);
  const rowDays = daysOfRows(stepBars, interval, symbolsOf(request, shape).length);
  return {
    first,
    interval,
    range,
    offered,
    limits: {
      floor: extent.start,
      last,
      stepDays: Math.min(days, rowDays),
      stepBars,
      barsMax: BARS_MAX,
    },
  };
}

/** Where a day begins in the chart, in seconds of the market's clock. */
export function momentOf(day: string): number {
  return Date.parse(day) / 1000;
}
