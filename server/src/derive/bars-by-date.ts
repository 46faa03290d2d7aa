/** Rows of dates put together of stored bars: those of one date and instrument become one row. */
import { isHalfDayOf } from '@ticklake/market/calendars.ts';
import { dayHours } from '@ticklake/market/sessions.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { BarRules } from '../catalog/interval.ts';
import { type CellValue, type ColumnBatch, cellAt, dateOfDays } from '../engine/columns.ts';
import type { BarLabel } from '../intervals/bar-clock.ts';
import { type Combiner, combinersOf, type Vectors } from '../intervals/combiners.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import { type ComputationInput, plainComputation, unitBuffer } from './computation.ts';

const BY_DATE_RULE_VERSION = 2;
const PRICES_RULE_VERSION = 1;

/** One row is open at a time, since bars come by date and instrument. */
const SLOT = 0;

/** By column name of the computed dataset. */
export type Cells = Readonly<Record<string, CellValue>>;

/** Columns of a row, each put together of a column of bars by the rule of that column. */
class CombinedColumns {
  readonly #sources: readonly (readonly [column: string, source: string])[];
  /** By column of the bars; those that others go by are among them, and come first. */
  readonly #combiners: ReadonlyMap<string, Combiner>;

  /** `sources`: columns of the bars by the columns that they become. */
  constructor(rules: BarRules, sources: Readonly<Record<string, string>>) {
    this.#sources = Object.entries(sources);
    this.#combiners = combinersOf(rules, Object.values(sources));
  }

  begin(vectors: Vectors): void {
    for (const combiner of this.#combiners.values()) combiner.begin(vectors);
  }

  add(first: number, end: number): void {
    if (first >= end) return;
    for (const combiner of this.#combiners.values()) combiner.add(SLOT, first, end);
  }

  take(label: BarLabel): Cells {
    const values = new Map<string, CellValue>();
    for (const [source, combiner] of this.#combiners) {
      values.set(source, combiner.take(SLOT, label));
    }
    return Object.fromEntries(
      this.#sources.map(([column, source]) => [column, values.get(source) ?? null]),
    );
  }
}

/** Makes a row of the bars of one date and instrument. */
interface RowMaker {
  /** The columns that it reads of the bars, beside the keys. */
  readonly columns: readonly string[];
  /** Tells which vectors the next bars are in. */
  begin(vectors: Vectors): void;
  /** Adds the bars from `first` up to `end`. `date`: days since 1970. */
  add(first: number, end: number, date: number): void;
  /** The cells beside the keys, of the bars since the last call; null: they make no row. */
  take(label: BarLabel): Cells | null;
}

/** The date of a bar and what else tells which row it belongs to. */
type Key = readonly [date: number, ...instrument: CellValue[]];

function rowOf(output: Dataset, names: readonly string[], key: Key, maker: RowMaker): Cells | null {
  const made = maker.take({ date: key[0], timeNanos: 0n });
  if (!made) return null;
  const cells: Record<string, CellValue> = {};
  for (const { name } of output.columns) cells[name] = made[name] ?? null;
  for (const [i, name] of names.entries()) cells[name] = key[i] ?? null;
  return cells;
}

/** Rows in the natural order of the bars. */
async function* barRows(
  { output, dates, read }: Pick<ComputationInput, 'output' | 'dates' | 'read'>,
  bars: Dataset,
  rules: BarRules,
  maker: RowMaker,
): AsyncIterable<ColumnBatch> {
  const keyNames = [bars.dateColumn ?? '', ...rules.by];
  const names = [...new Set([...keyNames, ...maker.columns])];
  const places = new Map(names.map((name, place) => [name, place]));
  const buffer = unitBuffer(output);
  let open: Key | null = null;
  const close = () => {
    const row = open && rowOf(output, keyNames, open, maker);
    if (row) buffer.appendRow(row);
  };
  for await (const batch of read(bars, names, dates)) {
    const { columns, rowCount } = batch;
    const vectors: Vectors = (name) => columns[places.get(name) as number] as (typeof columns)[0];
    const keys = keyNames.map(vectors);
    const isOf = (key: Key, row: number) => keys.every((each, i) => cellAt(each, row) === key[i]);
    maker.begin(vectors);
    for (let first = 0, end = 0; first < rowCount; first = end) {
      const key = keys.map((vector) => cellAt(vector, first)) as unknown as Key;
      end = first + 1;
      while (end < rowCount && isOf(key, end)) end++;
      if (open && !isOf(open, first)) close();
      open = key;
      maker.add(first, end, key[0]);
    }
    batch.release?.();
    yield* buffer.take(false);
  }
  close();
  yield* buffer.take(true);
}

/** Combines every common column by the rule that the definition of the bars gives it. */
function commonColumns({ columns }: Dataset, rules: BarRules): RowMaker {
  const names = columns.map(({ name }) => name).filter((name) => rules.columns.has(name));
  const combined = new CombinedColumns(
    rules,
    Object.fromEntries(names.map((name) => [name, name])),
  );
  const others = names.flatMap((name) => {
    const rule = rules.columns.get(name);
    return rule && 'other' in rule ? [rule.other] : [];
  });
  return {
    columns: [...names, ...others],
    begin: (vectors) => combined.begin(vectors),
    add: (first, end) => combined.add(first, end),
    take: (label) => combined.take(label),
  };
}

/** A row for each date and contract of the bars, in their natural order. */
export async function* barRowsByDate(
  input: ComputationInput,
  bars: Dataset | undefined,
): AsyncIterable<ColumnBatch> {
  if (!bars?.intervals) return;
  yield* barRows(input, bars, bars.intervals, commonColumns(input.output, bars.intervals));
}

const TIME = 'BarDateTime';

/** Columns of daily prices, by the columns of minute bars that they come from. */
const MARKET_HOURS: Readonly<Record<string, string>> = {
  OpenPrice: 'FirstTradePrice',
  HighPrice: 'HighTradePrice',
  LowPrice: 'LowTradePrice',
  ClosePrice: 'LastTradePrice',
  MarketHoursVolume: 'Volume',
  MarketHoursVWAP: 'VolumeWeightPrice',
};
const WHOLE_DAY: Readonly<Record<string, string>> = {
  DailyVolume: 'Volume',
  DailyVWAP: 'VolumeWeightPrice',
};

/** Beginning and end of regular hours, in UTC nanoseconds. */
function regularHours(
  { timeZone, calendar, sessions }: Dataset,
  days: number,
): readonly [bigint, bigint] {
  const date = dateOfDays(days);
  const { regularStartNanos, regularEndNanos } = dayHours(sessions, isHalfDayOf(calendar, date));
  const at = (nanos: number) => utcOfMarketTime(timeZone, date, BigInt(nanos));
  return [at(regularStartNanos), at(regularEndNanos)];
}

class DailyPrices implements RowMaker {
  readonly columns = [TIME, ...Object.values(MARKET_HOURS), ...Object.values(WHOLE_DAY)];
  readonly #bars: Dataset;
  readonly #marketHours: CombinedColumns;
  readonly #wholeDay: CombinedColumns;
  #times = new BigInt64Array(0);
  #hasMarketHours = false;

  constructor(bars: Dataset, rules: BarRules) {
    this.#bars = bars;
    this.#marketHours = new CombinedColumns(rules, MARKET_HOURS);
    this.#wholeDay = new CombinedColumns(rules, WHOLE_DAY);
  }

  begin(vectors: Vectors): void {
    this.#times = vectors(TIME).values as BigInt64Array<ArrayBuffer>;
    this.#marketHours.begin(vectors);
    this.#wholeDay.begin(vectors);
  }

  add(first: number, end: number, date: number): void {
    const [start, stop] = regularHours(this.#bars, date);
    let [from, to] = [first, end];
    while (from < end && (this.#times[from] as bigint) < start) from++;
    while (to > from && (this.#times[to - 1] as bigint) >= stop) to--;
    this.#wholeDay.add(first, end);
    this.#marketHours.add(from, to);
    this.#hasMarketHours ||= from < to;
  }

  /** A day without a bar in regular hours has no row. */
  take(label: BarLabel): Cells | null {
    const cells = { ...this.#wholeDay.take(label), ...this.#marketHours.take(label) };
    const hasRow = this.#hasMarketHours;
    this.#hasMarketHours = false;
    return hasRow ? cells : null;
  }
}

export const BARS_BY_DATE = plainComputation(BY_DATE_RULE_VERSION, (input) =>
  barRowsByDate(input, input.inputs[0]),
);

/** Daily prices and volumes of equities, put together of their minute bars of trades. */
export const EQUITY_PRICES_OF_BARS = plainComputation(PRICES_RULE_VERSION, async function* (input) {
  const [bars] = input.inputs;
  if (!bars.intervals) return;
  yield* barRows(input, bars, bars.intervals, new DailyPrices(bars, bars.intervals));
});
