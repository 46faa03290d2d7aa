import type { CoverageMap, DatasetCoverage } from '@ticklake/client';
import { addDays, dateOf } from '../format/dates';
import { countText, plural } from '../format/texts';

export type CoveredDay = DatasetCoverage['days'][number];
export type DayState = NonNullable<CoverageMap['datasets'][number]['states'][number]>;

export type CalendarMonth = ReturnType<typeof monthOf>;

const WEEK_DAYS = 7;
const MONTHS = 12;
const NAME = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function monthOf(year: number, month: number) {
  const first = new Date(Date.UTC(year, month, 1));
  const firstDate = dateOf(first.getTime());
  const dayCount = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  // Sunday is 0 and ends the week.
  const before = (first.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  const weekCount = Math.ceil((before + dayCount) / WEEK_DAYS);
  const dateAt = (cell: number) => {
    const day = cell - before;
    return day < 0 || day >= dayCount ? null : addDays(firstDate, day);
  };
  return {
    /** `2026-03`. */
    key: firstDate.slice(0, 7),
    /** `March 2026`. */
    name: NAME.format(first),
    /** From Monday to Sunday: dates, null beside the month. */
    weeks: Array.from({ length: weekCount }, (_, week) =>
      Array.from({ length: WEEK_DAYS }, (_, day) => dateAt(week * WEEK_DAYS + day)),
    ),
  };
}

export function monthsOf(year: number): readonly CalendarMonth[] {
  return Array.from({ length: MONTHS }, (_, month) => monthOf(year, month));
}

/** Tell states apart without their colours. */
export const DAY_STATE_MARKS: Readonly<Record<DayState, string>> = {
  complete: '',
  expected: '…',
  late: '!',
  missing: '×',
  withdrawn: '−',
  no_trading_day: '',
  spanned: '~',
};

export const DAY_STATES = Object.keys(DAY_STATE_MARKS) as DayState[];

/** `no trading day`. */
export function dayStateText(state: DayState): string {
  return state === 'spanned' ? 'probably complete' : state.replaceAll('_', ' ');
}

export function stateCounts(days: readonly CoveredDay[]) {
  return DAY_STATES.map((state) => ({
    state,
    count: days.filter((day) => day.state === state).length,
  })).filter(({ count }) => count > 0);
}

/** Somebody has to look after such days. */
export const AMISS: readonly (DayState | null)[] = ['late', 'missing', 'withdrawn'];

export function daysAmiss(days: readonly CoveredDay[]): readonly CoveredDay[] {
  return days.filter(({ state }) => AMISS.includes(state));
}

/** `2026-03-04: complete, 1,234 rows of 12 identifiers, version 3`. */
export function dayText(day: CoveredDay): string {
  const { date, state, rows, identifiers, version } = day;
  const parts = [state === null ? 'not known' : dayStateText(state)];
  if (rows !== null && rows > 0) {
    const of = identifiers === null ? '' : ` of ${plural(identifiers, 'identifier')}`;
    parts.push(`${plural(rows, 'row')}${of}`);
  }
  if (version !== null && rows !== 0) parts.push(`version ${countText(version)}`);
  return `${date}: ${parts.join(', ')}`;
}
