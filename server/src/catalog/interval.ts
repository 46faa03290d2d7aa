/** The intervals that bars can be asked for in, and the rules by which bars become longer ones. */
import {
  eveningNanos,
  keepsEveningDate,
  SESSION_NAMES,
  type Session,
  type SessionName,
} from '@ticklake/market/sessions.ts';

const MINUTE_NANOS = 60e9;

/** Rules that look at the values of their own column alone. */
export const OWN_RULES = ['first', 'last', 'high', 'low', 'sum'] as const;
/** Rules that go by another column, too: `COLUMN by COLUMN`. */
export const PAIR_RULES = ['weighted', 'beside', 'offset'] as const;

export const BAR_RULES = [...OWN_RULES, ...PAIR_RULES] as const;

/** Equities' averages have 6 decimals, those of futures 8. */
export const AVERAGE_DECIMALS = 6;
export const AVERAGE_DECIMALS_MAX = 8;

/** Two columns, the second of which the first one goes by. */
export const PAIR_PATTERN = /^(\S+) by (\S+)$/;

export type BarRule =
  | { readonly kind: (typeof OWN_RULES)[number] }
  | {
      readonly kind: (typeof PAIR_RULES)[number];
      /** The weights, or the column whose value decides from which bar this one comes. */
      readonly other: string;
    };

export interface BarRules {
  /** Start of a stored bar; null: bars are of days. */
  readonly time: string | null;
  /** Columns that identify a bar; equal ones are combined. */
  readonly by: readonly string[];
  /** Digits of weighted averages behind the point. */
  readonly averageDecimals: number;
  /** Columns that longer bars have besides `time`, `by` and the date. */
  readonly columns: ReadonlyMap<string, BarRule>;
}

type Listed = Readonly<
  Partial<Record<(typeof OWN_RULES | typeof PAIR_RULES)[number], readonly string[] | undefined>>
>;

/** The rules of a definition. */
export interface StatedBarRules extends Listed {
  readonly time?: string | undefined;
  readonly by: readonly string[];
  readonly average_decimals?: number | undefined;
}

/** The two columns of `COLUMN by COLUMN`, which is known to be one. */
export function pairOf(text: string): readonly [string, string] {
  const [, column = '', other = ''] = PAIR_PATTERN.exec(text) ?? [];
  return [column, other];
}

export function barRulesOf(stated: StatedBarRules | undefined): BarRules | null {
  if (!stated) return null;
  const columns = new Map<string, BarRule>();
  for (const kind of OWN_RULES) {
    for (const column of stated[kind] ?? []) columns.set(column, { kind });
  }
  for (const kind of PAIR_RULES) {
    for (const [column, other] of (stated[kind] ?? []).map(pairOf)) {
      columns.set(column, { kind, other });
    }
  }
  const { time = null, by, average_decimals: averageDecimals = AVERAGE_DECIMALS } = stated;
  return { time, by, averageDecimals, columns };
}

export interface IntervalLength {
  /** Length of bars within a day; null: they are of days. */
  readonly minutes: number | null;
  /** Unit of whole days; null for bars within a day. */
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

/** The rules of a dataset's bars; null if its rows are no bars. */
interface RuledBars {
  readonly intervals: BarRules | null;
}

/**
 * Tells if bars hold rows of two dates because rows of an evening have its date and not that of
 * their session: bars of days, and bars within a day that do not begin anew at midnight.
 */
export function goesOverMidnight(
  { intervals, sessions }: RuledBars & { readonly sessions: readonly Session[] },
  interval: Interval,
): boolean {
  if (!intervals?.time || !keepsEveningDate(sessions)) return false;
  const { minutes } = INTERVALS[interval];
  return minutes === null || eveningNanos(sessions) % (minutes * MINUTE_NANOS) !== 0;
}

/** The sessions whose bars can be asked for; none if all bars are of one, or of days. */
export function sessionNamesOf({
  intervals,
  sessions,
}: RuledBars & { readonly sessions: readonly Session[] }): readonly SessionName[] {
  const names = SESSION_NAMES.filter((name) => sessions.some((each) => each.name === name));
  return intervals?.time && names.length > 1 ? names : [];
}

/** Intervals longer than the dataset's bars; none if its rows are no bars. */
export function intervalsOf({ intervals }: RuledBars): readonly Interval[] {
  if (!intervals) return [];
  if (intervals.time !== null) return INTERVAL_NAMES;
  return INTERVAL_NAMES.filter((name) => ['week', 'month'].includes(INTERVALS[name].unit ?? ''));
}
