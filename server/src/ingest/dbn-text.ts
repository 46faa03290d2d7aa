/**
 * Reads Databento's binary files (DBN, versions 1 to 3) as the CSV that the vendor makes of them:
 * readable times and prices, and the symbol of each record, by the file or by definitions.
 */
import { UsageError } from '../base/errors.ts';
import { dateOfDays } from '../engine/columns.ts';

const PRELUDE_BYTES = 8;
const HEADER_BYTES = 112;
const SYMBOL_BYTES_OF_VERSION_1 = 22;
const METADATA_BYTES_MAX = 64 * 2 ** 20;
const WORD_BYTES = 4;
const UNDEFINED_PRICE = 2n ** 63n - 1n;
const UNDEFINED_TIME = 2n ** 64n - 1n;
const BILLION = 1_000_000_000n;
const DAY_SECONDS = 86_400;
const DAY_NANOS = 86_400_000_000_000n;
const INSTRUMENT_ID = 0;

type Read = (record: Buffer, at: number) => string;

function priceText(record: Buffer, at: number): string {
  const price = record.readBigInt64LE(at);
  if (price === UNDEFINED_PRICE) return '';
  const digits = `${price < 0n ? -price : price}`.padStart(10, '0');
  return `${price < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** The texts of the last second, in which most records are. */
let known = { second: -1, text: '' };

function timeText(record: Buffer, at: number): string {
  const nanos = record.readBigUInt64LE(at);
  // As the vendor's tools write them.
  if (nanos === UNDEFINED_TIME || nanos === 0n) return '';
  const second = Number(nanos / BILLION);
  if (second !== known.second) {
    const ofDay = second % DAY_SECONDS;
    const clock = [ofDay / 3600, (ofDay / 60) % 60, ofDay % 60];
    const date = dateOfDays(Math.floor(second / DAY_SECONDS));
    const time = clock.map((part) => `${Math.floor(part)}`.padStart(2, '0')).join(':');
    known = { second, text: `${date}T${time}` };
  }
  return `${known.text}.${`${nanos % BILLION}`.padStart(9, '0')}Z`;
}

/** A text as a field of CSV. */
const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const byte: Read = (record, at) => `${record[at]}`;
const letter: Read = (record, at) =>
  record[at] === 0 ? '' : quoted(String.fromCharCode(record[at] ?? 0));
const letters =
  (count: number): Read =>
  (record, at) =>
    quoted(record.toString('utf8', at, at + count).split('\0', 1)[0] as string);
const uint16: Read = (record, at) => `${record.readUInt16LE(at)}`;
const uint32: Read = (record, at) => `${record.readUInt32LE(at)}`;
const int32: Read = (record, at) => `${record.readInt32LE(at)}`;
const uint64: Read = (record, at) => `${record.readBigUInt64LE(at)}`;

type Field = readonly [name: string, at: number, read: Read];

const HEAD: readonly Field[] = [
  ['ts_event', 8, timeText],
  ['rtype', 1, byte],
  ['publisher_id', 2, uint16],
  ['instrument_id', 4, uint32],
];
const TRADE: readonly Field[] = [
  ['ts_recv', 32, timeText],
  ...HEAD,
  ['action', 28, letter],
  ['side', 29, letter],
  ['depth', 31, byte],
  ['price', 16, priceText],
  ['size', 24, uint32],
  ['flags', 30, byte],
  ['ts_in_delta', 40, int32],
  ['sequence', 44, uint32],
];
const QUOTE: readonly Field[] = [
  ...TRADE,
  ['bid_px_00', 48, priceText],
  ['ask_px_00', 56, priceText],
  ['bid_sz_00', 64, uint32],
  ['ask_sz_00', 68, uint32],
  ['bid_ct_00', 72, uint32],
  ['ask_ct_00', 76, uint32],
];
const BAR: readonly Field[] = [
  ...HEAD,
  ['open', 16, priceText],
  ['high', 24, priceText],
  ['low', 32, priceText],
  ['close', 40, priceText],
  ['volume', 48, uint64],
];

/** Fields of definitions whose places differ by version. */
type Movable = 'symbol' | 'quantity' | 'currency' | 'exchange' | 'underlying' | 'strike';
type Places = Readonly<Record<Movable | 'kind' | 'action', number>>;

/** The fields of a definition that recipes read. */
function definition(recordBytes: number, at: Places): Layout {
  const isFirst = recordBytes === 360;
  const fields: Field[] = [
    ['ts_recv', 16, timeText],
    ...HEAD,
    ['raw_symbol', at.symbol, letters(isFirst ? SYMBOL_BYTES_OF_VERSION_1 : 71)],
    ['security_update_action', at.action, letter],
    ['instrument_class', at.kind, letter],
    ['min_price_increment', 24, priceText],
    ['expiration', 40, timeText],
    ['activation', 48, timeText],
    ['unit_of_measure_qty', at.quantity, priceText],
    ['currency', at.currency, letters(4)],
    ['exchange', at.exchange, letters(5)],
    ['asset', at.exchange + 5, letters(recordBytes === 520 ? 11 : 7)],
    ['unit_of_measure', at.underlying - 31, letters(31)],
    ['underlying', at.underlying, letters(21)],
    ['strike_price', at.strike, priceText],
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
    const text = this.#bytes.toString('utf8', this.#at - this.#symbolBytes, this.#at);
    return text.split('\0', 1)[0] as string;
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

  /** `defined`: the symbols of records to which the metadata give none. */
  constructor(defined?: DefinedSymbols) {
    this.#defined = defined;
  }

  /** The text of the records that are complete by now. Throws a `UsageError`. */
  push(chunk: Buffer): Buffer {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const header = this.#layout ? '' : this.#readMetadata();
    return Buffer.from(this.#layout ? `${header}${this.#readRecords(this.#layout)}` : '');
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
    this.#layout = layout;
    this.#ofDay = this.#defined?.(letters(16)(bytes, 8));
    this.#rest = bytes.subarray(length);
    return `${[...layout.fields.map(([name]) => name), 'symbol'].join()}\n`;
  }

  #readRecords(layout: Layout): string {
    const { rtype, recordBytes, fields } = layout;
    const bytes = this.#rest;
    const lines: string[] = [];
    let at = 0;
    while (at < bytes.length) {
      const length = (bytes[at] as number) * WORD_BYTES;
      if (length < recordBytes || (at + 1 < bytes.length && bytes[at + 1] !== rtype)) {
        throw new UsageError('the DBN file has records of another kind than its schema');
      }
      if (at + length > bytes.length) break;
      this.#recordCount += 1;
      const record = bytes.subarray(at, at + length);
      const texts = fields.map(([, offset, read]) => read(record, offset));
      lines.push(`${texts.join()},${quoted(this.#symbolOf(layout, record))}\n`);
      at += length;
    }
    this.#rest = bytes.subarray(at);
    return lines.join('');
  }

  /** Throws a `UsageError` unless the record has one symbol; definitions name their own. */
  #symbolOf({ rtype, indexTimeAt, spanNanos = 0 }: Layout, record: Buffer): string {
    const id = record.readUInt32LE(4);
    const time = timeText(record, indexTimeAt);
    const own = this.#mapped(id, Number(time.slice(0, 10).replaceAll('-', '')));
    if (rtype === DEFINITION_TYPE) return own[0] ?? '';
    const nanos = record.readBigUInt64LE(indexTimeAt);
    const from = Number(nanos % DAY_NANOS);
    const found =
      this.#ofDay && own.length === 0
        ? this.#ofDay(id, Number(nanos / DAY_NANOS), from, from + spanNanos)
        : own;
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
