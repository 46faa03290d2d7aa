/**
 * Reads Databento's binary files (DBN, versions 1 to 3) as the CSV that the vendor makes of them:
 * readable times and prices, and the symbol of each record, by the file or by definitions.
 */
import { UsageError } from '../base/errors.ts';

const PRELUDE_BYTES = 8;
const HEADER_BYTES = 112;
const SYMBOL_BYTES_OF_VERSION_1 = 22;
const METADATA_BYTES_MAX = 64 * 2 ** 20;
const WORD_BYTES = 4;
const UNDEFINED_PRICE = 2n ** 63n - 1n;
const DAY_SECONDS = 86_400;
const MINUTE_NANOS = 60_000_000_000n;
const DAY_NANOS = 86_400_000_000_000n;
const INSTRUMENT_ID = 0;

const HIGH = 2 ** 32;
/** Both halves of a time that is undefined. */
const UNDEFINED_HALF = HIGH - 1;
const INTEGER_MAX = 2 ** 31 - 1;
/** The bytes of a number or a time, with a comma. */
const VALUE_BYTES_MAX = 32;
/** Bytes of CSV that become of one of a text. */
const TEXT_GROWTH_MAX = 3;
const [MINUS, POINT, COMMA, LINE_FEED, UTC] = [45, 46, 44, 10, 90];

/** The three digits of each number below 1,000, the first in the lowest byte. */
const THREE_DIGITS = Uint32Array.from({ length: 1000 }, (_, number) =>
  Buffer.from(`${number}`.padStart(3, '0').padEnd(4)).readUint32LE(),
);

/** A text in words of four bytes, of which the last ones are too many. */
interface Words {
  readonly words: Uint32Array;
  readonly byteCount: number;
}

function inWords(text: string): Words {
  const byteCount = Buffer.byteLength(text);
  const words = new Uint32Array(Math.ceil(byteCount / WORD_BYTES));
  Buffer.from(words.buffer).write(text);
  return { words, byteCount };
}

/** Text as bytes: a string for each value, or a list for two of them, costs more than all else. */
class TextBytes {
  #bytes = Buffer.alloc(0);
  #view = new DataView(new ArrayBuffer(0));
  #at = 0;

  /** Makes room for all that is written until the next call. */
  reserve(byteCount: number): void {
    if (this.#at + byteCount <= this.#bytes.length) return;
    const bytes = Buffer.alloc(2 * (this.#at + byteCount));
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  byte(code: number): void {
    this.#view.setUint8(this.#at++, code);
  }

  /** The last digits of a number below 1,000, as many as `count`. */
  digits(value: number, count: number): void {
    // Four bytes at once take as long as one; what follows overwrites those that are too many.
    this.#view.setUint32(this.#at, (THREE_DIGITS[value] as number) >>> (8 * (3 - count)), true);
    this.#at += count;
  }

  /** Nine digits of a number below a billion. */
  nineDigits(value: number): void {
    // The engine divides integers of 32 bits in a fraction of the time.
    const whole = value | 0;
    const thousands = (whole / 1000) | 0;
    const millions = (thousands / 1000) | 0;
    this.digits(millions, 3);
    this.digits(thousands - 1000 * millions, 3);
    this.digits(whole - 1000 * thousands, 3);
  }

  /** A whole number that is not negative. */
  number(value: number): void {
    if (value < 1000) {
      this.digits(value, value < 10 ? 1 : value < 100 ? 2 : 3);
      return;
    }
    const above = value > INTEGER_MAX ? Math.floor(value / 1000) : (value / 1000) | 0;
    this.number(above);
    this.digits(value - 1000 * above, 3);
  }

  append({ words, byteCount }: Words): void {
    for (let w = 0; w < words.length; w++) {
      this.#view.setUint32(this.#at + WORD_BYTES * w, words[w] as number, true);
    }
    this.#at += byteCount;
  }

  /** The bytes so far, which later ones overwrite. */
  take(): Buffer {
    const text = this.#bytes.subarray(0, this.#at);
    this.#at = 0;
    return text;
  }
}

/** Writes the text of the value at a place. */
type Write = (text: TextBytes, bytes: DataView, at: number) => void;

const price: Write = (text, bytes, at) => {
  const value = bytes.getInt32(at + 4, true) * HIGH + bytes.getUint32(at, true);
  if (Number.isSafeInteger(value)) {
    const units = Math.abs(value);
    // No quotient is rounded up below 2^53, and a remainder takes several times as long.
    const whole = Math.floor(units / 1e9);
    if (value < 0) text.byte(MINUS);
    text.number(whole);
    text.byte(POINT);
    text.nineDigits(units - whole * 1e9);
    return;
  }
  const large = bytes.getBigInt64(at, true);
  if (large !== UNDEFINED_PRICE) text.append(inWords(`${large}`.replace(/.{9}$/, '.$&')));
};

/** The last minute, in which most records are: its first nanosecond in halves, and its text. */
let known = { high: 0, low: 0, day: 0, text: inWords('1970-01-01T00:00:') };

/** Nanoseconds of the minute of a time, which is known then; null: the time is undefined. */
function nanosOfMinute(bytes: DataView, at: number): number | null {
  const high = bytes.getUint32(at + 4, true);
  const low = bytes.getUint32(at, true);
  // The vendor's tools write none for 0, either.
  if (high === low && (high === 0 || high === UNDEFINED_HALF)) return null;
  const nanos = (high - known.high) * HIGH + low - known.low;
  if (nanos >= 0 && nanos < 60e9) return nanos;
  const value = bytes.getBigUint64(at, true);
  const rest = value % MINUTE_NANOS;
  const start = value - rest;
  const text = inWords(new Date(Number(start / 1_000_000n)).toISOString().slice(0, 17));
  const day = Number(start / DAY_NANOS);
  known = { high: Number(start >> 32n), low: Number(start % 2n ** 32n), day, text };
  return Number(rest);
}

const time: Write = (text, bytes, at) => {
  const nanos = nanosOfMinute(bytes, at);
  if (nanos === null) return;
  const seconds = Math.floor(nanos / 1e9);
  text.append(known.text);
  text.digits(seconds, 2);
  text.byte(POINT);
  text.nineDigits(nanos - seconds * 1e9);
  text.byte(UTC);
};

function timeText(nanos: bigint): string {
  const [text, bytes] = [new TextBytes(), new DataView(new ArrayBuffer(8))];
  bytes.setBigUint64(0, nanos, true);
  text.reserve(VALUE_BYTES_MAX);
  time(text, bytes, 0);
  return `${text.take()}`;
}

/** A text as a field of CSV. */
const quoted = (text: string) =>
  inWords(/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const byte: Write = (text, bytes, at) => text.number(bytes.getUint8(at));
const LETTERS = Array.from({ length: 256 }, (_, code) =>
  quoted(code === 0 ? '' : String.fromCharCode(code)),
);
const letter: Write = (text, bytes, at) => text.append(LETTERS[bytes.getUint8(at)] as Words);
const textAt = (bytes: Buffer, at: number, count: number) =>
  bytes.toString('utf8', at, at + count).split('\0', 1)[0] as string;
const letters =
  (count: number): Write =>
  (text, { buffer, byteOffset }, at) =>
    text.append(quoted(textAt(Buffer.from(buffer, byteOffset + at, count), 0, count)));
const uint16: Write = (text, bytes, at) => text.number(bytes.getUint16(at, true));
const uint32: Write = (text, bytes, at) => text.number(bytes.getUint32(at, true));
const int32: Write = (text, bytes, at) => {
  const value = bytes.getInt32(at, true);
  if (value < 0) text.byte(MINUS);
  text.number(Math.abs(value));
};
const uint64: Write = (text, bytes, at) => {
  const value = bytes.getUint32(at + 4, true) * HIGH + bytes.getUint32(at, true);
  if (Number.isSafeInteger(value)) text.number(value);
  else text.append(inWords(`${bytes.getBigUint64(at, true)}`));
};

type Field = readonly [name: string, at: number, write: Write];

const HEAD: readonly Field[] = [
  ['ts_event', 8, time],
  ['rtype', 1, byte],
  ['publisher_id', 2, uint16],
  ['instrument_id', 4, uint32],
];
const TRADE: readonly Field[] = [
  ['ts_recv', 32, time],
  ...HEAD,
  ['action', 28, letter],
  ['side', 29, letter],
  ['depth', 31, byte],
  ['price', 16, price],
  ['size', 24, uint32],
  ['flags', 30, byte],
  ['ts_in_delta', 40, int32],
  ['sequence', 44, uint32],
];
const QUOTE: readonly Field[] = [
  ...TRADE,
  ['bid_px_00', 48, price],
  ['ask_px_00', 56, price],
  ['bid_sz_00', 64, uint32],
  ['ask_sz_00', 68, uint32],
  ['bid_ct_00', 72, uint32],
  ['ask_ct_00', 76, uint32],
];
const BAR: readonly Field[] = [
  ...HEAD,
  ['open', 16, price],
  ['high', 24, price],
  ['low', 32, price],
  ['close', 40, price],
  ['volume', 48, uint64],
];

/** Fields of definitions whose places differ by version. */
type Movable = 'symbol' | 'quantity' | 'currency' | 'exchange' | 'underlying' | 'strike';
type Places = Readonly<Record<Movable | 'kind' | 'action', number>>;

/** The fields of a definition that recipes read. */
function definition(recordBytes: number, at: Places): Layout {
  const isFirst = recordBytes === 360;
  const fields: Field[] = [
    ['ts_recv', 16, time],
    ...HEAD,
    ['raw_symbol', at.symbol, letters(isFirst ? SYMBOL_BYTES_OF_VERSION_1 : 71)],
    ['security_update_action', at.action, letter],
    ['instrument_class', at.kind, letter],
    ['min_price_increment', 24, price],
    ['expiration', 40, time],
    ['activation', 48, time],
    ['unit_of_measure_qty', at.quantity, price],
    ['currency', at.currency, letters(4)],
    ['exchange', at.exchange, letters(5)],
    ['asset', at.exchange + 5, letters(recordBytes === 520 ? 11 : 7)],
    ['unit_of_measure', at.underlying - 31, letters(31)],
    ['underlying', at.underlying, letters(21)],
    ['strike_price', at.strike, price],
  ];
  return { rtype: DEFINITION_TYPE, recordBytes, indexTimeAt: 16, fields };
}

const DEFINITION_TYPE = 19;
const DEFINITION = 9;
/** By the version of the file, from 1 on. */
const DEFINITIONS = [
  definition(360, {
    ...{ symbol: 200, quantity: 88, currency: 186, exchange: 243 },
    ...{ underlying: 300, strike: 328, kind: 325, action: 349 },
  }),
  definition(400, {
    ...{ symbol: 200, quantity: 88, currency: 186, exchange: 292 },
    ...{ underlying: 349, strike: 112, kind: 374, action: 382 },
  }),
  definition(520, {
    ...{ symbol: 238, quantity: 80, currency: 224, exchange: 330 },
    ...{ underlying: 391, strike: 104, kind: 487, action: 493 },
  }),
];

/** By their numbers in files. */
const SCHEMAS = [
  ...['mbo', 'mbp-1', 'mbp-10', 'tbbo', 'trades', 'ohlcv-1s', 'ohlcv-1m', 'ohlcv-1h', 'ohlcv-1d'],
  ...['definition', 'statistics', 'status', 'imbalance', 'ohlcv-eod', 'cmbp-1', 'cbbo-1s'],
  ...['cbbo-1m', 'tcbbo', 'bbo-1s', 'bbo-1m'],
];

interface Layout {
  /** The kind of its records. */
  readonly rtype: number;
  readonly recordBytes: number;
  /** Offset of the time at which a record has its symbol. */
  readonly indexTimeAt: number;
  /** How much later what it tells of ends. */
  readonly spanNanos?: number;
  readonly fields: readonly Field[];
}

const bars = (rtype: number, seconds: number): Layout => {
  const spanNanos = seconds * 1_000_000_000 - 1;
  return { rtype, recordBytes: 56, indexTimeAt: 8, spanNanos, fields: BAR };
};

/** By the number of the schema in the file. */
const LAYOUTS: ReadonlyMap<number, Layout> = new Map([
  [1, { rtype: 1, recordBytes: 80, indexTimeAt: 32, fields: QUOTE }],
  [3, { rtype: 1, recordBytes: 80, indexTimeAt: 32, fields: QUOTE }],
  [4, { rtype: 0, recordBytes: 48, indexTimeAt: 32, fields: TRADE }],
  [5, bars(32, 1)],
  [6, bars(33, 60)],
  [7, bars(34, 3600)],
  [8, bars(35, DAY_SECONDS)],
]);

/** A symbol from a day on, and up to the day before another, both as YYYYMMDD. */
interface SymbolUse {
  readonly start: number;
  readonly end: number;
  readonly symbol: string;
}

type SymbolsById = ReadonlyMap<number, readonly SymbolUse[]>;

/**
 * The symbols that definitions give an instrument on a day since 1970 in UTC, between two times of
 * it in nanoseconds, both included.
 */
export type SymbolsOfDay = (
  instrumentId: number,
  day: number,
  from: number,
  to: number,
) => readonly string[];

/** Tells which fields of a text somebody reads. */
export type IsRead = (field: string) => boolean;

/** The symbols of a dataset, such as `GLBX.MDP3`. Throws a `UsageError` where there are none. */
export type DefinedSymbols = (dataset: string) => SymbolsOfDay;

/** Reads one value after the other. */
class Cursor {
  readonly #bytes: Buffer;
  readonly #symbolBytes: number;
  #at = HEADER_BYTES;

  constructor(bytes: Buffer, symbolBytes: number) {
    // Lists of empty symbols would have no end.
    if (symbolBytes === 0) throw new RangeError('symbols have no bytes');
    this.#bytes = bytes;
    this.#symbolBytes = symbolBytes;
  }

  number(): number {
    this.#at += 4;
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  symbol(): string {
    this.#at += this.#symbolBytes;
    if (this.#at > this.#bytes.length) throw new RangeError('no such symbol');
    return textAt(this.#bytes, this.#at - this.#symbolBytes, this.#symbolBytes);
  }

  list<T>(read: () => T): T[] {
    const found: T[] = [];
    for (let count = this.number(); count > 0; count--) found.push(read());
    return found;
  }
}

/** The symbols of instruments, whichever of the two the file was asked for by. */
function symbolsOf(bytes: Buffer): SymbolsById {
  const isFirst = bytes[3] === 1;
  const cursor = new Cursor(bytes, isFirst ? SYMBOL_BYTES_OF_VERSION_1 : bytes.readUInt16LE(53));
  // Symbols that were asked for, those of a part of the time, and those that were not found.
  for (let list = 0; list < 3; list++) cursor.list(() => cursor.symbol());
  const typesAt = isFirst ? 58 : 50;
  const [isOfIds, isToIds] = [0, 1].map((n) => bytes[typesAt + n] === INSTRUMENT_ID);
  const uses = new Map<number, SymbolUse[]>();
  if (isOfIds && isToIds) return uses;
  cursor.list(() => {
    const given = cursor.symbol();
    cursor.list(() => {
      const [start, end] = [cursor.number(), cursor.number()];
      const other = cursor.symbol();
      const [id, symbol] = isToIds ? [other, given] : [given, other];
      // The vendor has no answer for some days.
      if (id && symbol) uses.getOrInsertComputed(Number(id), () => []).push({ start, end, symbol });
    });
  });
  return uses;
}

const NOT_DEFINED =
  'which no definition of that day and by that time gives a symbol: add the definition file of that day';
const NO_SYMBOLS =
  "which the file gives no symbol: name the vendor's definition file of that day by --symbols, or get the file with its symbols";

export class DbnText {
  /** Bytes that no text was made of yet. */
  #rest: Buffer = Buffer.alloc(0);
  #layout: Layout | null = null;
  #symbols: SymbolsById = new Map();
  #ofDay: SymbolsOfDay | undefined;
  #recordCount = 0;
  readonly #defined: DefinedSymbols | undefined;
  /** Symbols that the metadata give on a day, as CSV. */
  readonly #known = { day: -1, fields: new Map<number, Words>() };
  readonly #text = new TextBytes();
  readonly #isRead: IsRead;

  /**
   * `defined`: the symbols of records to which the metadata give none. Fields that are not read are
   * left out.
   */
  constructor(defined?: DefinedSymbols, isRead: IsRead = () => true) {
    this.#defined = defined;
    this.#isRead = isRead;
  }

  /** The text of whole records, until more is asked for. Throws a `UsageError`. */
  push(chunk: Buffer): Buffer {
    const [head = 0] = this.#rest;
    // The record that the chunk before began is joined by itself: the others stay where they are.
    const joined = this.#layout ? Math.max(0, head * WORD_BYTES - this.#rest.length) : chunk.length;
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(0, joined)]);
    if (!this.#layout) {
      const header = inWords(this.#readMetadata());
      this.#text.reserve(header.byteCount + VALUE_BYTES_MAX);
      this.#text.append(header);
    }
    if (this.#layout) {
      this.#rest = this.#readRecords(this.#layout, this.#rest);
      if (joined < chunk.length) {
        this.#rest = this.#readRecords(this.#layout, chunk.subarray(joined));
      }
    }
    return this.#text.take();
  }

  /** Throws a `UsageError` where the file ends within something. */
  end(): void {
    if (this.#layout && this.#rest.length === 0) return;
    const where = this.#layout ? 'a record' : 'its metadata';
    throw new UsageError(`the DBN file ends within ${where}, so it may be cut off`);
  }

  /** The header line; empty: more bytes are needed. */
  #readMetadata(): string {
    const bytes = this.#rest;
    if (bytes.length < PRELUDE_BYTES) return '';
    const length = PRELUDE_BYTES + bytes.readUInt32LE(4);
    if (length < HEADER_BYTES || length > METADATA_BYTES_MAX) {
      throw new UsageError('the metadata of the DBN file are damaged');
    }
    if (bytes.length < length) return '';
    const version = bytes[3] as number;
    const ofDefinitions = DEFINITIONS[version - 1];
    if (!ofDefinitions) {
      const legal = DEFINITIONS.map((_, v) => v + 1).join(', ');
      throw new UsageError(`the DBN file has version ${version}; those that are read: ${legal}`);
    }
    const schema = bytes.readUInt16LE(24);
    const layout = schema === DEFINITION ? ofDefinitions : LAYOUTS.get(schema);
    if (!layout) {
      const [found, ...legal] = [schema, ...LAYOUTS.keys(), DEFINITION].map(
        (each) => SCHEMAS[each] ?? each,
      );
      const text = `the DBN file has the schema ${found}; those that are read: ${legal.join(', ')}`;
      throw new UsageError(text);
    }
    try {
      this.#symbols = symbolsOf(bytes.subarray(0, length));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new UsageError('the metadata of the DBN file are damaged');
    }
    const fields = layout.fields.filter(([name]) => this.#isRead(name));
    this.#layout = { ...layout, fields };
    this.#ofDay = this.#defined?.(textAt(bytes, 8, 16));
    this.#rest = bytes.subarray(length);
    return `${[...fields.map(([name]) => name), 'symbol'].join()}\n`;
  }

  /** Returns a copy of the bytes behind the last whole record. */
  #readRecords(layout: Layout, bytes: Buffer): Buffer {
    const { rtype, recordBytes, fields } = layout;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const text = this.#text;
    let at = 0;
    while (at < bytes.length) {
      const length = (bytes[at] as number) * WORD_BYTES;
      if (length < recordBytes || (at + 1 < bytes.length && bytes[at + 1] !== rtype)) {
        throw new UsageError('the DBN file has records of another kind than its schema');
      }
      if (at + length > bytes.length) break;
      this.#recordCount += 1;
      const symbol = this.#symbolField(layout, view, at);
      const valueBytes = (fields.length + 1) * VALUE_BYTES_MAX;
      text.reserve(valueBytes + TEXT_GROWTH_MAX * length + symbol.byteCount);
      // Taking fields apart leaves more garbage than all else.
      for (let f = 0; f < fields.length; f++) {
        const field = fields[f] as Field;
        field[2](text, view, at + field[1]);
        text.byte(COMMA);
      }
      text.append(symbol);
      text.byte(LINE_FEED);
      at += length;
    }
    return Buffer.from(bytes.subarray(at));
  }

  #symbolField(layout: Layout, bytes: DataView, at: number): Words {
    const { day, fields } = this.#known;
    const id = bytes.getUint32(at + 4, true);
    const timeAt = at + layout.indexTimeAt;
    const hasTime = nanosOfMinute(bytes, timeAt) !== null;
    if (known.day !== day) fields.clear();
    this.#known.day = known.day;
    const field =
      (hasTime && fields.get(id)) ||
      quoted(this.#symbolOf(layout, id, bytes.getBigUint64(timeAt, true)));
    if (hasTime && !this.#ofDay) fields.set(id, field);
    return field;
  }

  /** Throws a `UsageError` unless the record has one symbol; definitions name their own. */
  #symbolOf({ rtype, spanNanos = 0 }: Layout, id: number, nanos: bigint): string {
    const day = Number(nanos / DAY_NANOS);
    const time = timeText(nanos);
    const own = this.#mapped(id, Number(time.slice(0, 10).replaceAll('-', '')));
    if (rtype === DEFINITION_TYPE) return own[0] ?? '';
    const from = Number(nanos % DAY_NANOS);
    const found =
      this.#ofDay && own.length === 0 ? this.#ofDay(id, day, from, from + spanNanos) : own;
    const [symbol] = found;
    if (symbol !== undefined && found.every((other) => other === symbol)) return symbol;
    const which = `record ${this.#recordCount} (${time}) has the instrument id ${id},`;
    if (symbol === undefined) {
      throw new UsageError(`${which} ${this.#ofDay ? NOT_DEFINED : NO_SYMBOLS}`);
    }
    const giver = own.length > 0 ? 'the file gives' : 'definitions give';
    const several = [...new Set(found)].join(', ');
    throw new UsageError(`${which} which ${giver} several symbols: ${several}`);
  }

  #mapped(id: number, day: number): string[] {
    const uses = this.#symbols.get(id)?.filter(({ start, end }) => start <= day && day < end);
    return uses?.map(({ symbol }) => symbol) ?? [];
  }
}
