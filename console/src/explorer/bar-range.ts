/** Spans of a chart of bars, and the interval that each is drawn in. */
import {
  CHART_INTERVALS,
  CHART_RANGES,
  type ChartInterval,
  type ChartRange,
} from './chart-choices';
import type { ChartPlan } from './chart-plan';
import { neededColumns } from './chart-plan';
import type { DatasetShape } from './dataset-shape';

const MILLISECONDS_PER_DAY = 86_400_000;

/** Calendar days, long enough for the trading days that they stand for; null: all there are. */
const RANGE_DAYS: Readonly<Record<ChartRange, number | null>> = {
  '1D': 1,
  '5D': 7,
  '1M': 31,
  '6M': 183,
  '1Y': 366,
  All: null,
};

/** Minutes of bars and days of bars that are stored: what they may be put together to is longer. */
export type StoredInterval = '1m' | '1d';

const MINUTE_INTERVALS = CHART_INTERVALS;
const DAY_INTERVALS: readonly ChartInterval[] = ['1d', '1w', '1mo'];

export function storedInterval({ time }: Pick<ChartPlan, 'time'>): StoredInterval {
  return time === 'TradeDate' ? '1d' : '1m';
}

/** The intervals that the dataset has for these filters, from short to long. */
export function intervalsOf(
  shape: DatasetShape,
  plan: ChartPlan,
  filtered: readonly string[],
): readonly ChartInterval[] {
  const stored = storedInterval(plan);
  const { interval_columns: columns, date_column: date } = shape;
  const isThere = neededColumns(plan).every((name) => columns.includes(name));
  // Filters on anything but what bars are about fit stored bars alone.
  const isFit = filtered.every((name) => [date, plan.time, ...plan.instrument].includes(name));
  if (!isThere || !isFit) return [stored];
  return stored === '1d' ? DAY_INTERVALS : MINUTE_INTERVALS;
}

/** Up to so many days, bars of this interval are as many as a person can tell apart on a screen. */
const DAYS_MAX: readonly (readonly [days: number, interval: ChartInterval])[] = [
  [1, '1m'],
  [7, '5m'],
  [31, '15m'],
  [183, '1h'],
  [1100, '1d'],
  [7400, '1w'],
  [Number.POSITIVE_INFINITY, '1mo'],
];

/** The interval for so many calendar days; the nearest longer one of those there are. */
export function intervalOfDays(days: number, offered: readonly ChartInterval[]): ChartInterval {
  const [, wanted] = DAYS_MAX.find(([most]) => days <= most)!;
  const from = CHART_INTERVALS.indexOf(wanted);
  return offered.find((name) => CHART_INTERVALS.indexOf(name) >= from) ?? offered.at(-1)!;
}

/** Bars of a day at most, sessions before and after the market's hours included. */
const BARS_PER_DAY: Readonly<Record<ChartInterval, number>> = {
  '1m': 960,
  '5m': 193,
  '15m': 65,
  '1h': 18,
  '1d': 1,
  '1w': 0.2,
  '1mo': 0.05,
};

/** So many days of bars come in one answer of at most so many rows. */
export function daysOfRows(rows: number, interval: ChartInterval, symbols: number): number {
  return Math.max(1, Math.floor(rows / BARS_PER_DAY[interval] / symbols));
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
}

/** Calendar days from the first to the last, both included. */
export function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / MILLISECONDS_PER_DAY) + 1;
}

/** The first day of a range that ends on `last`, but none before `floor`. */
export function firstDayOf(range: ChartRange, last: string, floor: string): string {
  const days = RANGE_DAYS[range];
  const first = days === null ? floor : addDays(last, 1 - days);
  return first < floor ? floor : first;
}

/** The ranges that make sense for bars of the dataset. */
export function rangesOf(stored: StoredInterval): readonly ChartRange[] {
  return stored === '1m' ? CHART_RANGES : CHART_RANGES.filter((range) => range !== '1D');
}
