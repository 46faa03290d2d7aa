/** Cuts ticks in natural order into the days of their instruments. */
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { Codes, Doubles, TextPool, textReader } from '../engine/gathered-columns.ts';
import { utcOfMarketTime } from '../time/market-time.ts';

const NOON_NANOS = 43_200_000_000_000n;

/** The columns of events, beside when they happened. */
export interface EventColumns {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/** Which instrument and day it is. */
interface Key {
  readonly date: string;
  readonly ticker: string;
  /** That of the first row that has one; null: none has. */
  readonly asid: number | null;
  /** Another one that rows of the day have; null: none. */
  readonly otherAsid: number | null;
  readonly root: string | null;
}

/** An instrument's day, its events in the order of the feed. */
export interface InstrumentDay extends Key {
  readonly events: GatheredEvents;
}

/** Events by column; valid until the next instrument's day is asked for. */
export class GatheredEvents {
  readonly nanosOfDay = new Doubles();
  readonly texts: readonly Codes[];
  readonly numbers: readonly Doubles[];

  constructor({ texts, numbers }: EventColumns, pool: TextPool) {
    this.texts = texts.map(() => new Codes(pool));
    this.numbers = numbers.map(() => new Doubles());
  }

  get length(): number {
    return this.nanosOfDay.length;
  }

  clear(): void {
    for (const column of [this.nanosOfDay, ...this.numbers, ...this.texts]) column.clear();
  }
}

/** Columns that tell of instruments what not all datasets know. */
const OPTIONAL_KEYS = ['ASID', 'BaseSymbol'] as const;

/** The columns that `instrumentDays` wants of a dataset, in their order. */
export function tickColumnsOf(dataset: Dataset, { texts, numbers }: EventColumns): string[] {
  const keys = OPTIONAL_KEYS.filter((name) => dataset.columnByName.has(name));
  return ['TradeDate', 'Ticker', 'EventDateTime', ...texts, ...numbers, ...keys];
}

/** A batch with its tickers as codes, in the memory of those of the batch before. */
class CodedBatch {
  readonly rowCount: number;
  readonly #vectors: ReadonlyMap<string, ColumnVector>;
  readonly #days: Int32Array;
  readonly #tickers: Codes;
  readonly #columns: EventColumns;

  constructor(dataset: Dataset, columns: EventColumns, batch: ColumnBatch, tickers: Codes) {
    const names = tickColumnsOf(dataset, columns);
    this.rowCount = batch.rowCount;
    this.#columns = columns;
    this.#vectors = new Map(names.map((name, i) => [name, batch.columns[i] as ColumnVector]));
    this.#days = this.vectorOf('TradeDate').values as Int32Array;
    this.#tickers = tickers;
    tickers.clear();
    tickers.append(this.vectorOf('Ticker'), 0, batch.rowCount);
  }

  vectorOf(name: string): ColumnVector {
    return this.#vectors.get(name) as ColumnVector;
  }

  has(name: string): boolean {
    return this.#vectors.has(name);
  }

  /** The row after the last one of the instrument and day of a row. */
  endOf(row: number): number {
    const [days, tickers] = [this.#days, this.#tickers];
    const [day, ticker] = [days[row], tickers.codeAt(row)];
    let end = row + 1;
    while (end < this.rowCount && days[end] === day && tickers.codeAt(end) === ticker) end++;
    return end;
  }

  /** Of rows of one instrument and day. */
  keyOf(first: number, end: number): Key {
    const [asid = null, otherAsid = null] = this.has('ASID')
      ? differentNumbers(this.vectorOf('ASID'), first, end)
      : [];
    return {
      date: dateOfDays(this.#days[first] as number),
      ticker: this.#tickers.textAt(first) ?? '',
      ...{ asid, otherAsid },
      root: this.has('BaseSymbol') ? textReader(this.vectorOf('BaseSymbol'))(first) : null,
    };
  }

  append(events: GatheredEvents, first: number, end: number, midnight: bigint): void {
    events.nanosOfDay.append(this.vectorOf('EventDateTime'), first, end, midnight);
    for (const [i, name] of this.#columns.texts.entries()) {
      events.texts[i]?.append(this.vectorOf(name), first, end);
    }
    for (const [i, name] of this.#columns.numbers.entries()) {
      events.numbers[i]?.append(this.vectorOf(name), first, end);
    }
  }
}

/** The first two different numbers among rows of a column of integers, without a bigint for each row. */
function differentNumbers(vector: ColumnVector, first: number, end: number): number[] {
  if (vector.type !== 'integer') throw new Error(`a column of ${vector.type} holds no integers`);
  const { values, nulls } = vector;
  const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  let row = first;
  while (row < end && nulls?.[row]) row++;
  if (row === end) return [];
  const [low, high] = [words[row * 2], words[row * 2 + 1]];
  const found = Number(values[row]);
  for (row++; row < end; row++) {
    const isSame = words[row * 2] === low && words[row * 2 + 1] === high;
    if (!isSame && !nulls?.[row]) return [found, Number(values[row])];
  }
  return [found];
}

/** Of rows of one instrument and day that came apart. */
function together(open: Key, more: Key): Key {
  if (open.asid === more.asid && more.otherAsid === null) return open;
  const asid = open.asid ?? more.asid;
  const others = [open.otherAsid, more.asid, more.otherAsid];
  return {
    ...open,
    asid,
    otherAsid: others.find((each) => each !== null && each !== asid) ?? null,
  };
}

/** UTC nanoseconds of a date's midnight by the offset of its noon, which holds while markets are open. */
function midnightOf({ timeZone }: Dataset, date: string): bigint {
  return utcOfMarketTime(timeZone, date, NOON_NANOS) - NOON_NANOS;
}

/** Dataset, day and symbol, as warnings name them. */
export function placeOfDay(
  { textId }: Dataset,
  { date, ticker }: Pick<Key, 'date' | 'ticker'>,
): string {
  return `${textId} ${date} ${ticker}`;
}

/**
 * Yields each instrument's day once it is complete. `batches` have the columns of `tickColumnsOf`, ordered
 * by trade date and ticker. Memory is that of one instrument's day.
 */
export async function* instrumentDays(
  dataset: Dataset,
  columns: EventColumns,
  batches: AsyncIterable<ColumnBatch>,
): AsyncIterable<InstrumentDay> {
  const pool = new TextPool();
  const tickers = new Codes(pool);
  const events = new GatheredEvents(columns, pool);
  let open: Key | null = null;
  for await (const batch of batches) {
    const coded = new CodedBatch(dataset, columns, batch, tickers);
    for (let row = 0; row < coded.rowCount; ) {
      const end = coded.endOf(row);
      const key = coded.keyOf(row, end);
      if (open && (key.date !== open.date || key.ticker !== open.ticker)) {
        yield { ...open, events };
        events.clear();
        open = null;
      }
      open = open ? together(open, key) : key;
      coded.append(events, row, end, midnightOf(dataset, key.date));
      row = end;
    }
    batch.release?.();
  }
  if (open) yield { ...open, events };
}

/**
 * Yields the events of each instrument's day as they come, in one piece or several: for what needs no more of a day
 * than its state. `batches` as of `instrumentDays`. Memory is that of one batch.
 */
export async function* instrumentPieces(
  dataset: Dataset,
  columns: EventColumns,
  batches: AsyncIterable<ColumnBatch>,
): AsyncIterable<InstrumentDay> {
  const pool = new TextPool();
  const tickers = new Codes(pool);
  const events = new GatheredEvents(columns, pool);
  for await (const batch of batches) {
    const coded = new CodedBatch(dataset, columns, batch, tickers);
    for (let row = 0; row < coded.rowCount; ) {
      const end = coded.endOf(row);
      const key = coded.keyOf(row, end);
      events.clear();
      coded.append(events, row, end, midnightOf(dataset, key.date));
      yield { ...key, events };
      row = end;
    }
    batch.release?.();
  }
}
