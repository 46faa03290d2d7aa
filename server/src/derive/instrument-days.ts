/** Cuts ticks in natural order into the days of their instruments. */
import { isQuantityColumn } from '@ticklake/market/quantity.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnBatch, type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { Codes, Doubles, TextPool, textReader } from '../engine/gathered-columns.ts';
import { utcOfMarketTime } from '../time/market-time.ts';
import type { ComputationInput } from './computation.ts';

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
  readonly #columns: EventColumns;

  constructor(columns: EventColumns, pool: TextPool) {
    this.texts = columns.texts.map(() => new Codes(pool));
    this.numbers = columns.numbers.map(() => new Doubles());
    this.#columns = columns;
  }

  /** A column of texts. */
  codes(name: string): Codes {
    return this.texts[this.#columns.texts.indexOf(name)] as Codes;
  }

  /** A column of numbers. */
  doubles(name: string): Doubles {
    return this.numbers[this.#columns.numbers.indexOf(name)] as Doubles;
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

function tickColumnsOf(dataset: Dataset, { texts, numbers }: EventColumns): string[] {
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
    const [day, ticker] = [days[row], tickers.at(row)];
    let end = row + 1;
    while (end < this.rowCount && days[end] === day && tickers.at(end) === ticker) end++;
    return end;
  }

  /** The key of rows of one instrument and day. */
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
      const [numbers, vector] = [events.numbers[i], this.vectorOf(name)];
      if (isQuantityColumn(name)) numbers?.appendUnits(vector, first, end);
      else numbers?.append(vector, first, end);
    }
  }
}

/** The first two different integers among some rows, without a bigint for each row. */
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

/** The key of an instrument's day whose rows are in two batches. */
function joinedKey(open: Key, more: Key): Key {
  if (open.asid === more.asid && more.otherAsid === null) return open;
  const asid = open.asid ?? more.asid;
  const others = [open.otherAsid, more.asid, more.otherAsid];
  return {
    ...open,
    asid,
    otherAsid: others.find((each) => each !== null && each !== asid) ?? null,
  };
}

/** UTC nanoseconds of midnight, by the offset at noon, which holds while markets are open. */
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

/** Enough to tell, and little beside the events that are computed from; fewer of a short day. */
const SAMPLE_EVENTS_MAX = 64;
const SAMPLE_EVENTS_MIN = 16;
/** A file of a part of the day may have been loaded twice: samples are taken all over it. */
const SAMPLES = 16;
/** So many different events that chance has not repeated each. */
const DISTINCT_MIN = 8;

/** The first event at or after a place that is later than the one before it. */
function nextMoment({ nanosOfDay, length }: GatheredEvents, from: number): number {
  let at = Math.min(from, length);
  while (at > 0 && at < length && nanosOfDay.at(at) === nanosOfDay.at(at - 1)) at++;
  return at;
}

/** The beginning and end of each sample; a short day is one sample. */
function* samplesOf(events: GatheredEvents) {
  const quarter = Math.floor(events.length / 4);
  const size = Math.max(SAMPLE_EVENTS_MIN, Math.min(SAMPLE_EVENTS_MAX, quarter));
  const step = Math.max(size, Math.floor(events.length / SAMPLES));
  for (let at = 0; at < events.length; at += step) {
    const first = nextMoment(events, at);
    yield { first, end: nextMoment(events, first + size) };
  }
}

/** True if two events are equal but for their times. */
function areEqual({ texts, numbers }: GatheredEvents, a: number, b: number): boolean {
  return (
    numbers.every((each) => Object.is(each.at(a), each.at(b))) &&
    texts.every((codes) => codes.at(a) === codes.at(b))
  );
}

function hasTwin(events: GatheredEvents, at: number, end: number): boolean {
  for (let i = at + 1; i < end; i++) if (areEqual(events, at, i)) return true;
  return false;
}

function eventKey({ texts, numbers }: GatheredEvents, i: number): string {
  return [...texts.map((codes) => codes.at(i)), ...numbers.map((each) => each.at(i))].join();
}

/** How many different events of one moment there are; null: one of them is there once. */
function doubledCount(events: GatheredEvents, first: number, end: number): number | null {
  // Without a text for each event, this nearly always tells.
  if (!hasTwin(events, first, end)) return null;
  const counts = new Map<string, number>();
  for (let i = first; i < end; i++) {
    const key = eventKey(events, i);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()].every((count) => count > 1) ? counts.size : null;
}

/** True if each event is there more than once. The first moment nearly always decides. */
function areDoubled(events: GatheredEvents, first: number, end: number): boolean {
  let distinctCount = 0;
  for (let at = first; at < end; ) {
    const next = nextMoment(events, at + 1);
    const count = doubledCount(events, at, next);
    if (count === null) return false;
    distinctCount += count;
    at = next;
  }
  return distinctCount >= DISTINCT_MIN;
}

/** The time of a sample, as `10:32:05`, whose events are all doubled; null: there is none. */
function doubledFrom(events: GatheredEvents): string | null {
  for (const { first, end } of samplesOf(events)) {
    if (areDoubled(events, first, end)) {
      return new Date(events.nanosOfDay.at(first) / 1e6).toISOString().slice(11, 19);
    }
  }
  return null;
}

/** Warns of events that were loaded twice. They all count: nothing says which to drop. */
function warnOfDoubled({ inputs: [ticks], warn }: ComputationInput, day: InstrumentDay): void {
  const time = doubledFrom(day.events);
  if (time === null) return;
  warn(
    `${placeOfDay(ticks, day)}: each event from about ${time} on is there more than once; was a file loaded twice?`,
  );
}

/** `isWhole`: the rows of an instrument's day are one item, whichever batches they come in. */
async function* cutTicks(
  { inputs: [ticks], dates, read }: ComputationInput,
  columns: EventColumns,
  isWhole: boolean,
): AsyncIterable<InstrumentDay> {
  const pool = new TextPool();
  const tickers = new Codes(pool);
  const events = new GatheredEvents(columns, pool);
  let open: Key | null = null;
  for await (const batch of read(ticks, tickColumnsOf(ticks, columns), dates)) {
    const coded = new CodedBatch(ticks, columns, batch, tickers);
    for (let row = 0; row < coded.rowCount; ) {
      const end = coded.endOf(row);
      const key = coded.keyOf(row, end);
      if (open && !(isWhole && key.date === open.date && key.ticker === open.ticker)) {
        yield { ...open, events };
        events.clear();
        open = null;
      }
      open = open ? joinedKey(open, key) : key;
      coded.append(events, row, end, midnightOf(ticks, key.date));
      row = end;
    }
    batch.release?.();
  }
  if (open) yield { ...open, events };
}

/**
 * Yields each instrument's day of the first input once it is complete, and warns of days that were
 * loaded twice. Memory is that of one instrument's day.
 */
export async function* instrumentDays(
  input: ComputationInput,
  columns: EventColumns,
): AsyncIterable<InstrumentDay> {
  for await (const day of cutTicks(input, columns, true)) {
    warnOfDoubled(input, day);
    yield day;
  }
}

/**
 * Yields the events of each instrument's day in pieces, as batches have them: for what needs no
 * more of a day than its state. Memory is that of one batch.
 */
export function instrumentPieces(
  input: ComputationInput,
  columns: EventColumns,
): AsyncIterable<InstrumentDay> {
  return cutTicks(input, columns, false);
}
