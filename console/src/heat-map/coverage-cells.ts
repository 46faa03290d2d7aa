import type { CoverageMap } from '@ticklake/client';
import { DAY_STATE_LABELS, DAY_STATE_MARKS } from '../catalogue/calendar-months';
import { addDays } from '../format/dates';
import { countText } from '../format/texts';

export type MapRow = CoverageMap['datasets'][number];
type State = NonNullable<MapRow['states'][number]>;

/** A longer range is shown by weeks. */
const DAY_COLUMNS_MAX = 45;

export const MAP_LABELS: Readonly<Record<State, string>> = {
  ...DAY_STATE_LABELS,
  spanned: 'Probably has rows',
};

/** Tell states apart without their colours. */
export const MAP_MARKS: Readonly<Record<State, string>> = { ...DAY_STATE_MARKS, spanned: '~' };

/** A cell of several days looks like the one that most needs somebody. */
const BY_NEED: readonly State[] = [
  ...(['missing', 'late', 'withdrawn', 'expected', 'spanned', 'complete'] as const),
  'no_trading_day',
];

const AMISS: readonly (State | null)[] = ['missing', 'late', 'withdrawn'];

/** One day or a week, by the places of its days in `states`. */
export interface MapColumn {
  readonly first: string;
  readonly last: string;
  readonly places: readonly number[];
}

export interface MapCell {
  /** Null: there is nothing to tell. */
  readonly state: State | null;
  /** `2026-11-18: late`. */
  readonly text: string;
}

function mondayOf(date: string): string {
  const daysSince = (new Date(date).getUTCDay() + 6) % 7;
  return addDays(date, -daysSince);
}

/** Days, or weeks of a long range; without those on which no dataset has anything to tell. */
export function mapColumns({ dates, datasets }: CoverageMap): readonly MapColumn[] {
  const isTold = (place: number) =>
    datasets.some(({ states }) => ![null, 'no_trading_day'].includes(states[place] ?? null));
  const places = dates.map((_, place) => place).filter(isTold);
  const isByWeek = dates.length > DAY_COLUMNS_MAX;
  const columns = Map.groupBy(places, (place) => {
    const date = dates[place] as string;
    return isByWeek ? mondayOf(date) : date;
  });
  return [...columns.values()].map((ofColumn) => ({
    first: dates[ofColumn[0] as number] as string,
    last: dates[ofColumn.at(-1) as number] as string,
    places: ofColumn,
  }));
}

/** `complete`, or `4 complete, 1 missing` of several days. */
function statesText(states: readonly (State | null)[]): string {
  const known = BY_NEED.filter((state) => states.includes(state));
  if (known.length === 0) return 'no information';
  const label = (state: State) => MAP_LABELS[state].toLowerCase();
  if (states.length === 1) return label(known[0] as State);
  const count = (state: State) => countText(states.filter((each) => each === state).length);
  return known.map((state) => `${count(state)} ${label(state)}`).join(', ');
}

export function mapCell({ states }: MapRow, { first, last, places }: MapColumn): MapCell {
  const own = places.map((place) => states[place] ?? null);
  const days = first === last ? first : `${first} to ${last}`;
  return {
    state: BY_NEED.find((state) => own.includes(state)) ?? null,
    text: `${days}: ${statesText(own)}`,
  };
}

export function amissCount({ states }: MapRow): number {
  return states.filter((state) => AMISS.includes(state)).length;
}
