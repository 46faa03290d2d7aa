/** Bars of answers in Arrow. */
import { DataType, type Decimal, type RecordBatch, tableFromIPC, type Vector } from 'apache-arrow';
import type { BarPlan } from './bar-view';
import { BarBuilder, type BarsBySymbol } from './bars';

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

const NANOSECONDS_PER_SECOND = 1e9;
const WORD = 2 ** 32;

type ReadNumber = (row: number) => number;

/** A number is in four words, of which the last has the sign. */
function decimalAt(words: Uint32Array, row: number): number {
  const [low, middle, high, top] = words.subarray(row * 4, row * 4 + 4) as unknown as number[];
  return (top! | 0) * WORD ** 3 + high! * WORD ** 2 + middle! * WORD + low!;
}

/** Dates are seconds too, times those of the market's clock. */
function numberReader(column: Vector, offset: ClockOffset): ReadNumber {
  const { type } = column;
  // As they came: the library would make moments of dates.
  const { values } = column.data[0]!;
  if (DataType.isTimestamp(type)) {
    return (row) => {
      const utc = Number(values[row]) / NANOSECONDS_PER_SECOND;
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

interface BarSource {
  readonly plan: BarPlan;
  readonly date: string | null;
  /**
   * The one symbol that is asked for, whatever rows name it: tickers change. Null: as rows name it.
   */
  readonly only: string | null;
  /** Such as `America/New_York`. */
  readonly timeZone: string;
}

/** NaN where a value is missing. */
function numbersOf(batch: RecordBatch, name: string | null, offset: ClockOffset): ReadNumber {
  const column = batch.getChild(name ?? '');
  if (!column) return () => Number.NaN;
  const read = numberReader(column, offset);
  if (column.nullCount === 0) return read;
  return (row) => (column.isValid(row) ? read(row) : Number.NaN);
}

function symbolsOf({ plan, only }: BarSource, batch: RecordBatch): (row: number) => string {
  if (only !== null) return () => only;
  // Texts of a dictionary are read once.
  const columns = plan.instrument.flatMap((name) => batch.getChild(name)?.memoize() ?? []);
  return (row) => columns.map((column) => String(column.get(row) ?? '')).join(' ');
}

export async function barsOfArrow(
  source: BarSource,
  pages: readonly Uint8Array[],
): Promise<BarsBySymbol> {
  const { plan, date, timeZone } = source;
  const offset = clockOffset(timeZone);
  const builders = new Map<string, BarBuilder>();
  const builderOf = (symbol: string) => {
    const known = builders.get(symbol) ?? new BarBuilder();
    builders.set(symbol, known);
    return known;
  };
  const addBatch = async (batch: RecordBatch) => {
    const numbers = (name: string | null) => numbersOf(batch, name, offset);
    const [time, open, high, low] = [plan.time, plan.open, plan.high, plan.low].map(numbers);
    const [close, volume, day] = [plan.close, plan.volume, date].map(numbers);
    const symbolOf = symbolsOf(source, batch);
    for (let row = 0; row < batch.numRows; row++) {
      if (row % ROWS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
      const prices = { open: open!(row), high: high!(row), low: low!(row), close: close!(row) };
      const bar = { time: time!(row), ...prices, volume: volume!(row) };
      builderOf(symbolOf(row)).add(bar, day!(row));
    }
  };
  for (const page of pages) for (const batch of tableFromIPC(page).batches) await addBatch(batch);
  const found = [...builders].map(([symbol, builder]) => [symbol, builder.bars()] as const);
  return new Map(found.filter(([, { time }]) => time.length > 0));
}
