import { addDays, daysBetween } from '../format/dates';
import { type CandlePlan, type ChartPlan, chartColumns } from './chart-plan';
import { type DatasetShape, rangeColumn } from './dataset-shape';
import type { ExplorerRequest, RequestParameter } from './explorer-request';
import {
  BAR_INTERVALS,
  type BarInterval,
  CHART_RANGES,
  type ChartChoice,
  type ChartRange,
} from './explorer-search';
import { frontContract } from './futures-symbols';
import { periodOver } from './look-back';

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
type StoredInterval = '1m' | '1d';

export const DAY_INTERVALS: readonly BarInterval[] = ['1d', '1w', '1mo'];

export function storedInterval({ time }: Pick<ChartPlan, 'time'>): StoredInterval {
  return time === 'TradeDate' ? '1d' : '1m';
}

export function intervalsOf(
  shape: DatasetShape,
  plan: BarPlan,
  filtered: readonly string[],
): readonly BarInterval[] {
  const stored = storedInterval(plan);
  const needed = [plan.time, plan.open, plan.high, plan.low, plan.close];
  const { interval_columns: columns, date_column: date } = shape;
  const isThere = needed.every((name) => columns.includes(name));
  // Filters on anything but what bars are about fit stored bars alone.
  const isFit = filtered.every((name) => [date, plan.time, ...plan.instrument].includes(name));
  if (!isThere || !isFit) return [stored];
  return stored === '1d' ? DAY_INTERVALS : BAR_INTERVALS;
}

/** Up to so many days, bars of this interval are as many as a person can tell apart on a screen. */
const DAYS_MAX: readonly (readonly [days: number, interval: BarInterval])[] = [
  [1, '1m'],
  [7, '5m'],
  [31, '15m'],
  [183, '1h'],
  [1100, '1d'],
  [7400, '1w'],
  [Number.POSITIVE_INFINITY, '1mo'],
];

/** The interval for so many calendar days; the nearest longer one of those there are. */
export function intervalOfDays(days: number, offered: readonly BarInterval[]): BarInterval {
  const [, wanted] = DAYS_MAX.find(([most]) => days <= most)!;
  const from = BAR_INTERVALS.indexOf(wanted);
  return offered.find((name) => BAR_INTERVALS.indexOf(name) >= from) ?? offered.at(-1)!;
}

/** Bars of a day at most, sessions before and after the market's hours included. */
const BARS_PER_DAY: Readonly<Record<BarInterval, number>> = {
  '1m': 960,
  '5m': 193,
  '15m': 65,
  '1h': 18,
  '1d': 1,
  '1w': 0.2,
  '1mo': 0.05,
};

/** So many days of bars come in one answer of at most so many rows. */
export function daysOfRows(rows: number, interval: BarInterval, symbols: number): number {
  return Math.max(1, Math.floor(rows / BARS_PER_DAY[interval] / symbols));
}

export function firstDayOf(range: ChartRange, last: string, floor: string): string {
  const days = RANGE_DAYS[range];
  const first = days === null ? floor : addDays(last, 1 - days);
  return first < floor ? floor : first;
}

export function rangesOf(stored: StoredInterval): readonly ChartRange[] {
  return stored === '1m' ? CHART_RANGES : CHART_RANGES.filter((range) => range !== '1D');
}

export type BarPlan = ChartPlan & CandlePlan;

/** So many can be told apart by their colours. */
export const SYMBOLS_MAX = 6;

interface BarSpan {
  /** Days, both included. */
  readonly first: string;
  readonly last: string;
  readonly interval: BarInterval;
}

/** Fields of the form that the chart decides itself. */
const OWN_FIELDS: readonly RequestParameter['field'][] = [
  'from',
  'to',
  'period',
  'columns',
  'sort',
];

/** The plan, where rows are bars of instruments that the identifier names by itself; else null. */
export function barPlan(plan: ChartPlan | null, shape: DatasetShape): BarPlan | null {
  if (plan?.kind !== 'candles' || rangeColumn(shape) === null) return null;
  return plan.instrument.length === 1 ? plan : null;
}

export function symbolsOf(
  { segments, parameters }: ExplorerRequest,
  shape: DatasetShape,
): readonly string[] {
  const inPath = shape.path_parameters.indexOf('identifier');
  // Group and segment come before what is given in the path.
  if (inPath !== -1) return segments.slice(inPath + 2, inPath + 3).filter(Boolean);
  return parameters
    .filter(({ field }) => field === 'identifier')
    .flatMap(({ value }) => value.split(','));
}

/** A root is drawn as its nearest delivery of each day: bars of all its contracts are no series. */
export function withFrontContract(
  request: ExplorerRequest,
  plan: BarPlan,
  { root_column: root }: DatasetShape,
): ExplorerRequest {
  const [instrument = ''] = plan.instrument;
  const isRoots = ({ name, field }: RequestParameter) =>
    field === 'identifier' && name.split('.')[0] === root;
  const parameters = request.parameters.map((parameter) => {
    if (!isRoots(parameter)) return parameter;
    const fronts = parameter.value.split(',').map(frontContract);
    return { ...parameter, name: instrument, value: fronts[0]! };
  });
  return { ...request, parameters };
}

export function filteredColumns({ parameters }: ExplorerRequest): readonly string[] {
  return parameters
    .filter(({ field }) => field?.startsWith('filter-'))
    .map(({ name }) => name.split('.')[0]!);
}

export function barRequest(
  request: ExplorerRequest,
  plan: BarPlan,
  shape: DatasetShape,
  { first, last, interval }: BarSpan,
): ExplorerRequest {
  const date = rangeColumn(shape);
  const own = (name: string, value: string) => ({ name, value, field: null });
  const period = periodOver(shape, first, last, last);
  return {
    segments: request.segments,
    parameters: [
      ...request.parameters.filter(({ field }) => !OWN_FIELDS.includes(field)),
      own(`${date}.ge`, first),
      own(`${date}.le`, last),
      ...(period === null ? [] : [own('period', period)]),
      own('columns', chartColumns(plan, shape.date_column).join(',')),
      ...(interval === storedInterval(plan) ? [] : [own('interval', interval)]),
    ],
  };
}

/** About a hundred thousand bars come in a few megabytes: a year of the market's minutes. */
const STEP_BARS = 120_000;
/** A year of minutes with what is traded before and after hours, and as much again. */
const BARS_MAX = 500_000;

export interface BarLimits {
  /** No day before this one has bars. */
  readonly floor: string;
  readonly last: string;
  readonly stepDays: number;
  /** Bars that are read at once, as far as can be foreseen. */
  readonly stepBars: number;
  /** Bars that are kept; none are read beyond. */
  readonly barsMax: number;
}

export type BarView = ReturnType<typeof barView>;

export interface Extent {
  readonly start: string;
  readonly last: string;
}

function extentOf({ rules }: Pick<DatasetShape, 'rules'>, whole: Extent): Extent {
  const starts = rules.map(({ start_date }) => start_date).toSorted();
  const ends = rules.map(({ end_date }) => end_date ?? whole.last).toSorted();
  const [start = whole.start, end = whole.last] = [starts[0], ends.at(-1)];
  return { start: clamp(start, whole), last: clamp(end, whole) };
}

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
) {
  const extent = extentOf(shape, whole);
  const { from, to } = datesOf(request);
  const last = to === '' ? extent.last : clamp(to, extent);
  const fallback = storedInterval(plan) === '1m' ? '5D' : '1Y';
  const range = choice.range ?? (from === '' ? fallback : null);
  const first = range === null ? clamp(from, extent) : firstDayOf(range, last, extent.start);
  const offered = intervalsOf(shape, plan, filteredColumns(request));
  const days = Math.max(1, daysBetween(first, last));
  const chosen = offered.find((name) => name === choice.interval);
  const interval = chosen ?? intervalOfDays(days, offered);
  const stepBars = Math.min(STEP_BARS, shape.limits.arrow.maximum);
  const rowDays = daysOfRows(stepBars, interval, symbolsOf(request, shape).length);
  return {
    first,
    interval,
    /** Null: the dates of the query. */
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

/** The beginning of a day in the chart, in seconds of the market's clock. */
export function momentOf(day: string): number {
  return Date.parse(day) / 1000;
}
