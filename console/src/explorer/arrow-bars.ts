/**
 * A market's clock for many moments: `Intl` is asked once a day, or an hour where clocks change.
 */
import {
  type Data,
  DataType,
  type Decimal,
  type Dictionary,
  type RecordBatch,
  tableFromIPC,
  Vector,
} from 'apache-arrow';
import type { BarPlan } from './bar-view';
import { BarBuilder, type BarsBySymbol, columnsOf } from './bars';

const SECONDS_PER_HOUR = 3600;
const SECONDS_PER_DAY = 86_400;

/** Seconds that the market's clock is ahead of UTC. */
type ClockOffset = (utcSeconds: number) => number;

function askedOffset(timeZone: string): ClockOffset {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (utcSeconds) => {
    const parts = format.formatToParts(utcSeconds * 1000);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
      /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const size = Number(hours) * SECONDS_PER_HOUR + Number(minutes) * 60 + Number(seconds);
    return sign === '-' ? -size : size;
  };
}

/** `timeZone`: a name of the IANA database, such as `America/New_York`. */
export function clockOffset(timeZone: string): ClockOffset {
  const ask = askedOffset(timeZone);
  const ofHours = new Map<number, number>();
  const ofDays = new Map<number, number | null>();
  const remembered = <T>(known: Map<number, T>, key: number, find: () => T): T => {
    if (!known.has(key)) known.set(key, find());
    return known.get(key) as T;
  };
  const ofDay = (day: number) => {
    const [first, last] = [ask(day * SECONDS_PER_DAY), ask((day + 1) * SECONDS_PER_DAY - 1)];
    return first === last ? first : null;
  };
  return (utcSeconds) => {
    const day = Math.floor(utcSeconds / SECONDS_PER_DAY);
    const hour = Math.floor(utcSeconds / SECONDS_PER_HOUR);
    return (
      remembered(ofDays, day, () => ofDay(day)) ??
      remembered(ofHours, hour, () => ask(hour * SECONDS_PER_HOUR))
    );
  };
}

const NANOSECONDS_PER_SECOND = 1e9;
const WORD = 2 ** 32;

function decimals({ values, type }: Data, count: number): Float64Array {
  const words = values as Uint32Array;
  const scale = 10 ** (type as Decimal).scale;
  return Float64Array.from({ length: count }, (_, at) => {
    const [low, middle, high, top] = words.subarray(at * 4, at * 4 + 4) as unknown as number[];
    const signed = (top! | 0) * WORD ** 3;
    return (signed + high! * WORD ** 2 + middle! * WORD + low!) / scale;
  });
}

function times({ values }: Data, count: number, offset: ClockOffset): Float64Array {
  const nanoseconds = values as BigInt64Array;
  const seconds = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const utc = Number(nanoseconds[at]) / NANOSECONDS_PER_SECOND;
    seconds[at] = utc + offset(utc);
  }
  return seconds;
}

function plainNumbers({ values, type }: Data, count: number): Float64Array {
  if (DataType.isFloat(type)) return (values as Float64Array).slice(0, count);
  const factor = DataType.isDate(type) ? SECONDS_PER_DAY : 1;
  const numbers = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    numbers[at] = Number((values as BigInt64Array | Int32Array)[at]) * factor;
  }
  return numbers;
}

/** NaN where a value is missing. Dates are seconds too, times those of the market's clock. */
function numbersOf(column: Data, offset: ClockOffset): Float64Array {
  const { type, length } = column;
  const numbers = DataType.isTimestamp(type)
    ? times(column, length, offset)
    : DataType.isDecimal(type)
      ? decimals(column, length)
      : plainNumbers(column, length);
  if (column.nullCount > 0) {
    for (let at = 0; at < length; at++) if (!column.getValid(at)) numbers[at] = Number.NaN;
  }
  return numbers;
}

/** The text of each row, '' where it is missing; texts of a dictionary are read once. */
function textsOf(column: Data): (row: number) => string {
  const { dictionary } = column;
  const texts = dictionary ?? new Vector([column]);
  const codes = dictionary ? (column.values as Dictionary['TArray']) : null;
  const known: string[] = [];
  return (row) => {
    if (column.nullCount > 0 && !column.getValid(row)) return '';
    const code = codes ? Number(codes[row]) : row;
    known[code] ??= String(texts.get(code) ?? '');
    return known[code];
  };
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

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function columnOf(batch: RecordBatch, name: string | null): Data | null {
  const index = batch.schema.fields.findIndex((field) => field.name === name);
  return index === -1 ? null : batch.data.children[index]!;
}

function symbolsOf({ plan, only }: BarSource, batch: RecordBatch): (row: number) => string {
  if (only !== null) return () => only;
  const texts = plan.instrument.flatMap((name) => {
    const column = columnOf(batch, name);
    return column ? [textsOf(column)] : [];
  });
  return (row) => texts.map((textOf) => textOf(row)).join(' ');
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
    const missing = new Float64Array(batch.numRows).fill(Number.NaN);
    const numbers = (name: string | null) => {
      const column = columnOf(batch, name);
      return column ? numbersOf(column, offset) : missing;
    };
    const { time, open, high, low, close, volume } = columnsOf((name) => numbers(plan[name]));
    const day = numbers(date);
    const symbolOf = symbolsOf(source, batch);
    for (let row = 0; row < batch.numRows; row++) {
      if (row % ROWS_PER_TURN === 0) await nextTurn();
      const bar = {
        time: time[row]!,
        open: open[row]!,
        high: high[row]!,
        low: low[row]!,
        close: close[row]!,
        volume: volume[row]!,
      };
      builderOf(symbolOf(row)).add(bar, day[row]!);
    }
  };
  for (const page of pages) for (const batch of tableFromIPC(page).batches) await addBatch(batch);
  const found = [...builders].map(([symbol, builder]) => [symbol, builder.bars()] as const);
  return new Map(found.filter(([, { time }]) => time.length > 0));
}
