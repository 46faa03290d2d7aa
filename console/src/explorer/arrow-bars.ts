/** Bars of answers in Arrow. */
import { DataType, type Decimal, type RecordBatch, tableFromIPC, type Vector } from 'apache-arrow';
import { dateOf } from '../format/dates';
import { type Bar, BarBuilder } from './bars';
import { type CandlePlan, type ChartPlan, eventKind, type TickPlan } from './chart-plan';

const SECONDS_PER_HOUR = 3600;
const SECONDS_PER_DAY = 86_400;

/** Seconds that the market's clock is ahead of UTC. */
type ClockOffset = (utcSeconds: number) => number;

/**
 * A market's clock for many moments, which is asked once an hour. `timeZone`: a name of the IANA
 * database, such as `America/New_York`.
 */
export function clockOffset(timeZone: string): ClockOffset {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const ask = (utcSeconds: number) => {
    const parts = format.formatToParts(utcSeconds * 1000);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
      /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const size = Number(hours) * SECONDS_PER_HOUR + Number(minutes) * 60 + Number(seconds);
    return sign === '-' ? -size : size;
  };
  const known = new Map<number, number>();
  return (utcSeconds) => {
    const hour = Math.floor(utcSeconds / SECONDS_PER_HOUR);
    if (!known.has(hour)) known.set(hour, ask(hour * SECONDS_PER_HOUR));
    return known.get(hour)!;
  };
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
const WORD = 2 ** 32;

type ReadNumber = (row: number) => number;

/** A number is in four words, of which the last has the sign. */
function decimalAt(words: Uint32Array, row: number): number {
  const [low, middle, high, top] = words.subarray(row * 4, row * 4 + 4) as unknown as number[];
  return (top! | 0) * WORD ** 3 + high! * WORD ** 2 + middle! * WORD + low!;
}

/** Dates are seconds too, times those of the market's clock, to the millisecond. */
function numberReader(column: Vector, offset: ClockOffset): ReadNumber {
  const { type } = column;
  // As they came: the library would make moments of dates.
  const { values } = column.data[0]!;
  if (DataType.isTimestamp(type)) {
    return (row) => {
      const utc = Number(values[row] / NANOSECONDS_PER_MILLISECOND) / 1000;
      return utc + offset(utc);
    };
  }
  const factor = DataType.isDate(type) ? SECONDS_PER_DAY : 1;
  if (!DataType.isDecimal(type)) return (row) => Number(values[row]) * factor;
  const scale = 10 ** (type as Decimal).scale;
  return (row) => decimalAt(values, row) / scale;
}

/** Gives way to the browser so often. */
const ROWS_PER_TURN = 32_768;

interface RowsOf {
  readonly plan: ChartPlan;
  readonly date: string | null;
  /** The one symbol asked for, whatever rows name it: tickers change. Null: as rows name it. */
  readonly only: string | null;
  /** Such as `America/New_York`. */
  readonly timeZone: string;
}

type Batch = ReturnType<typeof batchOf>;

/** The values of a batch by the names of columns; NaN and '' where one is missing. */
function batchOf(batch: RecordBatch, offset: ClockOffset) {
  const numbers = (name: string | null): ReadNumber => {
    const column = batch.getChild(name ?? '');
    if (!column) return () => Number.NaN;
    const read = numberReader(column, offset);
    if (column.nullCount === 0) return read;
    return (row) => (column.isValid(row) ? read(row) : Number.NaN);
  };
  const texts = (name: string | null) => {
    const column = batch.getChild(name ?? '');
    const isDate = DataType.isDate(column?.type);
    if (isDate || DataType.isDecimal(column?.type)) {
      const read = numbers(name);
      const textOf = (value: number) => (isDate ? dateOf(value * 1000) : String(value));
      return (row: number) => (column?.isValid(row) ? textOf(read(row)) : '');
    }
    // Texts of a dictionary are read once.
    const read = column?.memoize();
    return (row: number) => String(read?.get(row) ?? '');
  };
  return { numbers, texts };
}

/** The chart of one instrument, or of several that are compared. */
export type RowChart = ReturnType<ChartBuilder['chart']>;

const BEST = ' NB';
const TICK_NAMES = ['Trade', 'Bid', 'Ask', `Bid${BEST}`, `Ask${BEST}`];

class ChartBuilder {
  readonly #builders: Map<string, BarBuilder>;

  constructor({ kind }: ChartPlan) {
    const names = kind === 'ticks' ? TICK_NAMES : [];
    this.#builders = new Map(names.map((name) => [name, new BarBuilder(name === 'Trade')]));
  }

  add(name: string, bar: Bar, day: number): void {
    const known = this.#builders.get(name);
    const builder = known ?? new BarBuilder();
    if (!known) this.#builders.set(name, builder);
    builder.add(bar, day);
  }

  chart({ kind }: ChartPlan) {
    const all = [...this.#builders];
    const isBest = (name: string) => kind === 'ticks' && name.endsWith(BEST);
    const hasBest = all.some(([name, { count }]) => isBest(name) && count > 0);
    const shown = all.filter(([name]) => isBest(name) === hasBest || name === 'Trade');
    const nameOf = (name: string) => (isBest(name) ? name.slice(0, -BEST.length) : name);
    return {
      /** By symbol, or of ticks the trades, bids and asks, each of which is a bar of one price. */
      bars: new Map(shown.map(([name, builder]) => [nameOf(name), builder.bars()])),
      /** Rows that share their moment with a later one. */
      merged: shown.reduce((sum, [, { merged }]) => sum + merged, 0),
      /** Quotes of single venues were left out, as there are national best ones. */
      hasBestQuotesOnly: hasBest,
    };
  }
}

/** Reads the bars of a row, by the names of what is drawn. */
type ReadRow = (row: number, symbol: string, put: (name: string, bar: Bar) => void) => void;

function barsIn(plan: CandlePlan, { numbers }: Batch): ReadRow {
  const [time, open, high, low] = [plan.time, plan.open, plan.high, plan.low].map(numbers);
  const [close, volume] = [plan.close, plan.volume].map(numbers);
  return (row, symbol, put) => {
    const prices = { open: open!(row), high: high!(row), low: low!(row), close: close!(row) };
    put(symbol, { time: time!(row), ...prices, volume: volume!(row) });
  };
}

function ticksIn(plan: TickPlan, { numbers, texts }: Batch): ReadRow {
  const [timeOf, eventOf, sideOf] = [numbers(plan.time), texts(plan.event), texts(plan.side)];
  const [price, size] = [numbers(plan.price), numbers(plan.quantity)];
  const [bid, bidSize] = [numbers(plan.bid), numbers(plan.bidSize)];
  const [ask, askSize] = [numbers(plan.ask), numbers(plan.askSize)];
  return (row, _, put) => {
    const tick = (name: string, priceOf: ReadNumber, sizeOf: ReadNumber) => {
      const value = priceOf(row);
      const prices = { open: value, high: value, low: value, close: value };
      // A quote of price 0 says that the side is empty.
      if (value) put(name, { time: timeOf(row), ...prices, volume: sizeOf(row) });
    };
    const event = plan.event === null ? null : eventOf(row);
    const kind = eventKind(event, sideOf(row));
    if (kind) tick(kind !== 'Trade' && event?.endsWith(BEST) ? kind + BEST : kind, price, size);
    tick('Bid', bid, bidSize);
    tick('Ask', ask, askSize);
  };
}

/** Charts by instrument, also of those that have no prices; one of all where they are compared. */
export async function chartsOfArrow(
  { plan, date, only, timeZone }: RowsOf,
  pages: readonly Uint8Array[],
  isCompared = false,
): Promise<ReadonlyMap<string, RowChart>> {
  const offset = clockOffset(timeZone);
  const builders = new Map<string, ChartBuilder>();
  const builderOf = (name: string) => {
    const known = builders.get(name);
    const builder = known ?? new ChartBuilder(plan);
    if (!known) builders.set(name, builder);
    return builder;
  };
  const addBatch = async (records: RecordBatch) => {
    const batch = batchOf(records, offset);
    const read = plan.kind === 'ticks' ? ticksIn(plan, batch) : barsIn(plan, batch);
    const dayOf = batch.numbers(date);
    const names = plan.instrument.map(batch.texts);
    const symbolOf = (row: number) =>
      names
        .map((nameOf) => nameOf(row))
        .filter(Boolean)
        .join(' ');
    for (let row = 0; row < records.numRows; row++) {
      if (row % ROWS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
      const symbol = only ?? symbolOf(row);
      const builder = builderOf(isCompared ? '' : symbol);
      read(row, symbol, (name, bar) => builder.add(name, bar, dayOf(row)));
    }
  };
  for (const page of pages) for (const batch of tableFromIPC(page).batches) await addBatch(batch);
  return new Map([...builders].map(([name, builder]) => [name, builder.chart(plan)]));
}

/** The bars of all symbols that have any. */
export async function barsOfArrow(source: RowsOf, pages: readonly Uint8Array[]) {
  const charts = await chartsOfArrow(source, pages, true);
  const bars = [...charts.values()].flatMap((chart) => [...chart.bars]);
  return new Map(bars.filter(([, { time }]) => time.length > 0));
}
