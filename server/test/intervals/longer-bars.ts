/**
 * Longer bars of stored rows, as plainly as possible. Rows come in natural order, as in JSON
 * answers. Shares nothing with the server but the dates of holidays and half days.
 */
import { isHalfDayOf, isTradingDayOf } from '@ticklake/market/calendars.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';

export type JsonRow = Record<string, string | number | null>;

const MINUTES: Record<string, number> = {
  '5m': 5,
  '10m': 10,
  '15m': 15,
  '30m': 30,
  '1h': 60,
  '2h': 120,
  '4h': 240,
};

const minuteOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

interface Place {
  readonly date: string;
  /** Local time at which the bar begins; null: bars have none. */
  readonly start: string | null;
}

function sessionsOf({ sessions, calendar }: Dataset, date: string): number[] {
  const isHalfDay = isHalfDayOf(calendar, date);
  const clocks = sessions.map(({ start, halfDayStart }) => (isHalfDay && halfDayStart) || start);
  return ['00:00', ...clocks].map(minuteOf).sort((a, b) => a - b);
}

const after = (date: string, days: number) =>
  Temporal.PlainDate.from(date).add({ days }).toString();

/** Minutes since the evening on which the day of a moment began decide, even over midnight. */
function placeOfEvening(
  begins: string,
  interval: string,
  date: string,
  clock: string,
  firstDate: string | null,
): Place {
  const evening = clock.slice(0, 5) >= begins ? date : after(date, -1);
  const began = Temporal.PlainDateTime.from(`${evening}T${begins}`);
  const passed = began.until(`${date}T${clock}`, { largestUnit: 'minutes' }).minutes;
  const minutes = passed - (passed % (MINUTES[interval] as number));
  const start = began.add({ minutes }).toString({ smallestUnit: 'second' });
  return firstDate !== null && start < firstDate
    ? { date: firstDate, start: `${firstDate}T00:00:00` }
    : { date: start.slice(0, 10), start };
}

function placeWithinDay(
  dataset: Dataset,
  interval: string,
  date: string,
  clock: string,
  firstDate: string | null,
): Place {
  const [{ start: begins = '', eveningDate = '' } = {}] = dataset.sessions;
  if (eveningDate === 'same') return placeOfEvening(begins, interval, date, clock, firstDate);
  const minute = minuteOf(clock);
  const session =
    sessionsOf(dataset, date)
      .filter((each) => each <= minute)
      .at(-1) ?? 0;
  const length = MINUTES[interval] as number;
  const start = session + Math.floor((minute - session) / length) * length;
  const two = (n: number) => String(n).padStart(2, '0');
  return { date, start: `${date}T${two(Math.floor(start / 60))}:${two(start % 60)}:00` };
}

function tradingDayFrom(dataset: Dataset, date: string, root: string | null): string {
  let day = date;
  while (!isTradingDayOf(dataset.calendar, day, root)) day = after(day, 1);
  return day;
}

function placeOfDays(
  dataset: Dataset,
  interval: string,
  date: string,
  clock: string | null,
  firstDate: string | null,
  root: string | null,
): Place {
  const { time = null } = dataset.intervals ?? {};
  const ofDay = dataset.sessions.find(({ name }) => name !== 'overnight');
  const begins = ofDay?.start ?? '00:00';
  const isEvening = ofDay?.eveningDate === 'same';
  const isNext = isEvening && clock !== null && clock.slice(0, 5) >= begins;
  const day = isEvening ? tradingDayFrom(dataset, isNext ? after(date, 1) : date, root) : date;
  const { dayOfWeek } = Temporal.PlainDate.from(day);
  const firsts: Record<string, string> = {
    '1d': day,
    '1w': tradingDayFrom(dataset, after(day, 1 - dayOfWeek), root),
    '1mo': tradingDayFrom(dataset, `${day.slice(0, 8)}01`, root),
  };
  const first = firsts[interval] as string;
  const label = firstDate !== null && firstDate > first ? firstDate : first;
  return {
    date: label,
    start: time === null ? null : `${isEvening ? after(label, -1) : label}T${begins}:00`,
  };
}

/** A bar of days begins with the night if its first row lies in it. */
function dayStart({ sessions, intervals }: Dataset, { date, start }: Place, head: JsonRow) {
  const [night] = sessions;
  if (start === null || night?.name !== 'overnight') return start;
  const clock = String(head[intervals?.time ?? '']).slice(11, 16);
  return clock < start.slice(11, 16) ? `${after(date, -1)}T${night.start}:00` : start;
}

type Rows = readonly JsonRow[];
const present = (rows: Rows, column: string) => rows.filter((row) => row[column] !== null);

/** The row that the column has its value from. */
const PICKS: Record<string, (rows: Rows, column: string) => JsonRow | undefined> = {
  first: (rows, column) => present(rows, column)[0],
  last: (rows, column) => present(rows, column).at(-1),
  high: (rows, column) => {
    const most = Math.max(...present(rows, column).map((row) => row[column] as number));
    return rows.find((row) => row[column] === most);
  },
  low: (rows, column) => {
    const least = Math.min(...present(rows, column).map((row) => row[column] as number));
    return rows.find((row) => row[column] !== null && row[column] === least);
  },
};

function weighted(rows: Rows, column: string, weight: string, decimals: number): number | null {
  let worth = 0n;
  let total = 0n;
  for (const row of present(present(rows, column), weight)) {
    worth += BigInt(Math.round((row[column] as number) * 1e8)) * BigInt(row[weight] as number);
    total += BigInt(row[weight] as number);
  }
  if (total === 0n) return null;
  total *= 10n ** BigInt(8 - decimals);
  const twice = 2n * (worth % total);
  const low = worth / total;
  const isUp = twice > total || (twice === total && low % 2n === 1n);
  return Number(isUp ? low + 1n : low) / 10 ** decimals;
}

const nanosOf = (time: string) => Temporal.Instant.from(time).epochNanoseconds;

function barValue(dataset: Dataset, column: string, rows: Rows, startNanos: bigint | null) {
  const rules = dataset.intervals?.columns;
  const rule = rules?.get(column);
  if (!rule) throw new Error(`no rule for ${column}`);
  if (!('other' in rule)) {
    if (rule.kind !== 'sum') return PICKS[rule.kind]?.(rows, column)?.[column] ?? null;
    const values = present(rows, column).map((row) => row[column] as number);
    return values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
  }
  const decimals = dataset.group === 'us-futures' ? 8 : 6;
  if (rule.kind === 'weighted') return weighted(rows, column, rule.other, decimals);
  const leader = rules?.get(rule.other)?.kind ?? '';
  const row = PICKS[leader]?.(rows, rule.other);
  const value = row?.[column] ?? null;
  if (rule.kind === 'beside' || value === null || startNanos === null) return value;
  const start = nanosOf(row?.[dataset.intervals?.time ?? ''] as string);
  const nanos = start + BigInt(Math.round((value as number) * 1e9)) - startNanos;
  return Number(nanos) / 1e9;
}

/** `firstDate` is the first day that the request asks for and may read. */
export function longerBars(
  dataset: Dataset,
  rows: readonly JsonRow[],
  interval: string,
  columns: readonly string[],
  firstDate: string | null,
): JsonRow[] {
  const { time = null, by = [] } = dataset.intervals ?? {};
  const dateColumn = dataset.dateColumn as string;
  const groups = new Map<string, { place: Place; rows: JsonRow[]; index: number }>();
  for (const row of rows) {
    const date = row[dateColumn] as string;
    const clock = time === null ? null : (row[time] as string).slice(11, 19);
    const root = (row[dataset.rootColumn ?? ''] ?? null) as string | null;
    const place =
      interval in MINUTES
        ? placeWithinDay(dataset, interval, date, clock as string, firstDate)
        : placeOfDays(dataset, interval, date, clock, firstDate, root);
    const about = by.map((name) => row[name]);
    const key = JSON.stringify([place, about]);
    const group = groups.get(key) ?? { place, rows: [], index: groups.size };
    group.rows.push(row);
    groups.set(key, group);
  }
  const bars = [...groups.values()].map((group) => {
    const [head] = group.rows as [JsonRow];
    const { date } = group.place;
    const start = interval in MINUTES ? group.place.start : dayStart(dataset, group.place, head);
    const moment =
      start === null ? null : Temporal.PlainDateTime.from(start).toZonedDateTime(dataset.timeZone);
    const startNanos = moment?.epochNanoseconds ?? null;
    const bar: JsonRow = {};
    for (const column of columns) {
      if (column === dateColumn) bar[column] = date;
      else if (column === time) bar[column] = moment?.toString({ timeZoneName: 'never' }) ?? null;
      else if (by.includes(column)) bar[column] = head[column] ?? null;
      else bar[column] = barValue(dataset, column, group.rows, startNanos);
    }
    const keys = dataset.naturalOrder.map((name) => {
      if (name === dateColumn) return date;
      return name === time ? (startNanos ?? 0n) : (head[name] ?? null);
    });
    return { bar, keys, index: group.index };
  });
  return bars.sort((a, b) => compare(a.keys, b.keys) || a.index - b.index).map(({ bar }) => bar);
}

type Key = string | number | bigint | null;

function compare(a: readonly Key[], b: readonly Key[]): number {
  for (const [i, left] of a.entries()) {
    const right = b[i] as Key;
    if (left === right) continue;
    if (left === null || right === null) return left === null ? 1 : -1;
    if (typeof left === 'string')
      return Buffer.compare(Buffer.from(left), Buffer.from(right as string));
    return left < (right as typeof left) ? -1 : 1;
  }
  return 0;
}
