/** Daily prices and volumes of equities, put together of their minute bars of trades. */
import { isHalfDay } from '@ticklake/market/calendar.ts';
import { REGULAR_START_NANOS, regularEndNanos } from '@ticklake/market/equity-bar.ts';
import type { BarRules } from '../catalog/bar-rules.ts';
import type { Dataset } from '../catalog/dataset.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  dateOfDays,
} from '../engine/columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import type { BarLabel } from '../intervals/bar-clock.ts';
import { type Combiner, cellAt, combinersOf } from '../intervals/combiners.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import { type ComputationInput, plainComputation } from './computation.ts';

const RULE_VERSION = 1;

const KEYS = ['TradeDate', 'Ticker', 'ASID'] as const;
const TIME = 'BarDateTime';

/** Columns of a row, by the column of the bars that they are put together of. What bars do not tell apart is null. */
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

type Vectors = (name: string) => ColumnVector;
type Key = readonly CellValue[];

/** Puts together some columns of the bars of a span of the day. */
class Span {
  /** One row is open at a time. */
  static readonly #slot = 0;
  readonly #combiners: readonly (readonly [column: string, Combiner])[];
  isEmpty = true;

  constructor(rules: BarRules, sources: Readonly<Record<string, string>>) {
    const combiners = combinersOf(rules, Object.values(sources));
    this.#combiners = Object.entries(sources).map(
      ([column, source]) => [column, combiners.get(source) as Combiner] as const,
    );
  }

  begin(vectors: Vectors): void {
    for (const [, combiner] of this.#combiners) combiner.begin(vectors);
  }

  add(first: number, end: number): void {
    if (first >= end) return;
    this.isEmpty = false;
    for (const [, combiner] of this.#combiners) combiner.add(Span.#slot, first, end);
  }

  take(label: BarLabel): Record<string, CellValue> {
    this.isEmpty = true;
    return Object.fromEntries(
      this.#combiners.map(([column, combiner]) => [column, combiner.take(Span.#slot, label)]),
    );
  }
}

/** Beginning and end of regular hours, in UTC nanoseconds. */
function regularHours({ timeZone }: Dataset, days: number): readonly [bigint, bigint] {
  const date = dateOfDays(days);
  const at = (nanos: number) => utcOfMarketTime(timeZone, date, BigInt(nanos));
  return [at(REGULAR_START_NANOS), at(regularEndNanos(isHalfDay(date)))];
}

/** The row of a security's day, while its bars come. */
class OpenRow {
  readonly #bars: Dataset;
  readonly #empty: Readonly<Record<string, CellValue>>;
  readonly #marketHours: Span;
  readonly #wholeDay: Span;
  #key: Key | null = null;

  constructor(output: Dataset, bars: Dataset, rules: BarRules) {
    this.#bars = bars;
    this.#empty = Object.fromEntries(output.columns.map(({ name }) => [name, null]));
    this.#marketHours = new Span(rules, MARKET_HOURS);
    this.#wholeDay = new Span(rules, WHOLE_DAY);
  }

  /** Takes bars in natural order; rows go to the buffer when they are complete. */
  add(rowCount: number, vectors: Vectors, buffer: RowBuffer): void {
    const keys = KEYS.map(vectors);
    const times = vectors(TIME).values as BigInt64Array;
    const isSame = (key: Key, row: number) =>
      keys.every((vector, i) => cellAt(vector, row) === key[i]);
    this.#marketHours.begin(vectors);
    this.#wholeDay.begin(vectors);
    for (let first = 0, end = 0; first < rowCount; first = end) {
      const key = keys.map((vector) => cellAt(vector, first));
      end = first + 1;
      while (end < rowCount && isSame(key, end)) end++;
      if (this.#key && !isSame(this.#key, first)) this.close(buffer);
      this.#key = key;
      this.#addRun(times, first, end, regularHours(this.#bars, key[0] as number));
    }
  }

  #addRun(
    times: BigInt64Array,
    first: number,
    end: number,
    [start, stop]: readonly [bigint, bigint],
  ): void {
    let [from, to] = [first, end];
    while (from < end && (times[from] as bigint) < start) from++;
    while (to > from && (times[to - 1] as bigint) >= stop) to--;
    this.#wholeDay.add(first, end);
    this.#marketHours.add(from, to);
  }

  /** A day without a bar in regular hours has no row. */
  close(buffer: RowBuffer): void {
    if (!this.#key) return;
    const [date, ...about] = this.#key as [number, ...CellValue[]];
    const label: BarLabel = { date, timeNanos: 0n };
    const hasRow = !this.#marketHours.isEmpty;
    const wholeDay = this.#wholeDay.take(label);
    this.#key = null;
    if (!hasRow) return;
    const keys = { TradeDate: date, Ticker: about[0] ?? null, ASID: about[1] ?? null };
    buffer.appendRow({ ...this.#empty, ...keys, ...wholeDay, ...this.#marketHours.take(label) });
  }
}

async function* rowsOf({
  output,
  inputs: [bars],
  dates,
  read,
}: ComputationInput): AsyncIterable<ColumnBatch> {
  if (!bars?.intervals) return;
  const sources = [...Object.values(MARKET_HOURS), ...Object.values(WHOLE_DAY)];
  const names = [...new Set([...KEYS, TIME, ...sources])];
  const places = new Map(names.map((name, place) => [name, place]));
  const buffer = new RowBuffer(output);
  const row = new OpenRow(output, bars, bars.intervals);
  for await (const batch of read(bars, names, dates)) {
    row.add(
      batch.rowCount,
      (name) => batch.columns[places.get(name) as number] as ColumnVector,
      buffer,
    );
    batch.release?.();
    yield* buffer.take(false);
  }
  row.close(buffer);
  yield* buffer.take(true);
}

export const EQUITY_PRICES_OF_BARS = plainComputation(RULE_VERSION, rowsOf);
