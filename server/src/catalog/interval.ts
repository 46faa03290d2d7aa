/** The intervals that bars can be asked for in, and which of them a dataset has. */
import type { BarRules } from './bar-rules.ts';
import type { Dataset } from './dataset.ts';

export interface IntervalLength {
  /** Length of bars within a day; null: they are of days. */
  readonly minutes: number | null;
  /** What the bars of days are of; null: they lie within a day. */
  readonly unit: 'day' | 'week' | 'month' | null;
}

const ofMinutes = (minutes: number): IntervalLength => ({ minutes, unit: null });
const ofDays = (unit: 'day' | 'week' | 'month'): IntervalLength => ({ minutes: null, unit });

/** From short to long. */
export const INTERVALS = {
  '5m': ofMinutes(5),
  '10m': ofMinutes(10),
  '15m': ofMinutes(15),
  '30m': ofMinutes(30),
  '1h': ofMinutes(60),
  '2h': ofMinutes(120),
  '4h': ofMinutes(240),
  '1d': ofDays('day'),
  '1w': ofDays('week'),
  '1mo': ofDays('month'),
} as const satisfies Readonly<Record<string, IntervalLength>>;

export type Interval = keyof typeof INTERVALS;
export const INTERVAL_NAMES = Object.keys(INTERVALS) as Interval[];

const NOON = '12:00';
const DAY_MINUTES = 1440;

/** `HH:MM` at which days begin on the evening before; null: they begin at midnight or later. */
export function eveningOf({ sessions: [begins = '00:00'] }: Pick<BarRules, 'sessions'>) {
  return begins >= NOON ? begins : null;
}

/**
 * Tells if bars hold rows of two dates because sessions begin in the evening: bars of days, and
 * bars within a day if rows have their calendar date.
 */
export function goesOverMidnight(
  { intervals, sameDayColumns }: Pick<Dataset, 'intervals' | 'sameDayColumns'>,
  interval: Interval,
): boolean {
  if (!intervals?.time || eveningOf(intervals) === null) return false;
  const { minutes } = INTERVALS[interval];
  if (minutes === null) return true;
  const [hour = 0, minute = 0] = intervals.sessions.toSorted().at(-1)?.split(':').map(Number) ?? [];
  const untilMidnight = DAY_MINUTES - 60 * hour - minute;
  return sameDayColumns.includes(intervals.time) && untilMidnight % minutes !== 0;
}

/** Those that are longer than the bars of the dataset; none where rows are no bars. */
export function intervalsOf({ intervals }: Pick<Dataset, 'intervals'>): readonly Interval[] {
  if (!intervals) return [];
  if (intervals.time !== null) return INTERVAL_NAMES;
  return INTERVAL_NAMES.filter((name) => ['week', 'month'].includes(INTERVALS[name].unit ?? ''));
}
