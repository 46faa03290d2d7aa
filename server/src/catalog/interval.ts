/** The intervals that bars can be asked for in, and which of them a dataset has. */
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

/** Those that are longer than the bars of the dataset; none where rows are no bars. */
export function intervalsOf({ intervals }: Pick<Dataset, 'intervals'>): readonly Interval[] {
  if (!intervals) return [];
  if (intervals.time !== null) return INTERVAL_NAMES;
  return INTERVAL_NAMES.filter((name) => ['week', 'month'].includes(INTERVALS[name].unit ?? ''));
}
