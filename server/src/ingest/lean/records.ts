/** Reads the lines of each kind of LEAN file. Errors name the field. */
import { daysOfDate } from '../../engine/columns.ts';
import { IDENTIFIER_TEXT, isIdentifierText } from '../../engine/identifier-text.ts';

export class BadField extends Error {
  readonly field: string | null;
  readonly value: string;
  /** Says what the value should be: `a whole number from 0 on`. */
  readonly reason: string;

  /** `field` null: the line as a whole is not a row. */
  constructor(field: string | null, value: string, reason: string) {
    super(`${field ?? 'the line'} ${value} is not ${reason}`);
    this.name = 'BadField';
    this.field = field;
    this.value = value;
    this.reason = reason;
  }
}

const INTEGER = /^\d{1,15}(?:\.0+)?$/;
const DECIMAL = /^\d{1,15}(?:\.\d{1,20})?$/;
const MILLISECONDS = /^(\d{1,8})(\.\d{1,12})?$/;
const HEX_MASK = /^[0-9a-fA-F]{1,8}$/;
const COMPACT_DATE = /^(\d{4})(\d\d)(\d\d)$/;
const NANOS_PER_MILLISECOND = 1_000_000;
const NANOS_PER_DAY = 86_400_000 * NANOS_PER_MILLISECOND;

type Fields = readonly string[];
/** Reads the text of one field. Throws `BadField`. */
type FieldReader<T> = (text: string) => T;
type RecordOf<R> = { readonly [K in keyof R]: R[K] extends FieldReader<infer T> ? T : never };

/** Throws unless the line has exactly `count` fields. */
function expectFields(fields: Fields, count: number): void {
  if (fields.length !== count) {
    throw new BadField(null, fields.join(','), `a row with ${count} fields`);
  }
}

/** Reads lines that have one field for each reader, in this order. */
function recordReader<const R extends Readonly<Record<string, FieldReader<unknown>>>>(readers: R) {
  const all = Object.entries(readers);
  return (fields: Fields): RecordOf<R> => {
    expectFields(fields, all.length);
    const record: Record<string, unknown> = {};
    let at = 0;
    for (const [name, read] of all) record[name] = read(fields[at++] as string);
    return record as RecordOf<R>;
  };
}

const asItIs: FieldReader<string> = (text) => text;

const integer =
  (field: string): FieldReader<number> =>
  (text) => {
    if (!INTEGER.test(text)) throw new BadField(field, text, 'a whole number, 0 or more');
    return Number(text);
  };

/** How a file writes its prices. */
type PriceReader = (field: string) => FieldReader<number>;

/** A price or factor as it is written. */
const decimal: PriceReader = (field) => (text) => {
  if (!DECIMAL.test(text)) throw new BadField(field, text, 'a decimal number, 0 or more');
  return Number(text);
};

/** Dollars of a price in ten-thousandths: the double nearest to the exact decimal. */
export const scaledPrice: PriceReader = (field) => (text) => {
  if (!DECIMAL.test(text)) throw new BadField(field, text, 'a price in dollars times 10000');
  return Number(`${text}e-4`);
};

const factor =
  (field: string): FieldReader<number> =>
  (text) => {
    const value = decimal(field)(text);
    if (value === 0) throw new BadField(field, text, 'a number greater than 0');
    return value;
  };

/** Nanoseconds since midnight of milliseconds, which may have decimals. */
function nanosOfDay(text: string): number {
  const match = MILLISECONDS.exec(text);
  const whole = Number(match?.[1] ?? Number.NaN) * NANOS_PER_MILLISECOND;
  const nanos = whole + Math.round(Number(match?.[2] ?? 0) * NANOS_PER_MILLISECOND);
  if (!(nanos < NANOS_PER_DAY)) {
    throw new BadField('time', text, 'a time of day in milliseconds, 0 to 86399999');
  }
  return nanos;
}

/** A mask of condition bits, written in hexadecimal; empty for none. */
function conditions(text: string): number {
  if (text === '') return 0;
  if (!HEX_MASK.test(text)) throw new BadField('conditions', text, 'a 32-bit mask in hexadecimal');
  return Number.parseInt(text, 16);
}

function isSuspicious(text: string): boolean {
  if (text !== '0' && text !== '1') throw new BadField('suspicious', text, '0 or 1');
  return text === '1';
}

/** `YYYY-MM-DD` of a `YYYYMMDD` that exists in the calendar, or null. */
export function dateOfCompact(text: string): string | null {
  const match = COMPACT_DATE.exec(text);
  if (!match) return null;
  const date = `${match[1]}-${match[2]}-${match[3]}`;
  const days = daysOfDate(date);
  const exists = Number.isInteger(days) && new Date(date).toISOString().startsWith(date);
  return exists ? date : null;
}

function existingDate(text: string): string {
  const date = dateOfCompact(text);
  if (date === null) throw new BadField('date', text, 'a date YYYYMMDD that exists');
  return date;
}

/** The names of venues by the letters of LEAN's files. */
export const VENUES: Readonly<Record<string, string>> = {
  A: 'AMEX',
  B: 'NASDAQ BX',
  C: 'NSE',
  D: 'FINRA',
  H: 'MIAX PEARL',
  I: 'ISE',
  J: 'EDGA',
  K: 'EDGX',
  L: 'LTSE',
  M: 'CSE',
  N: 'NYSE',
  P: 'ARCA',
  Q: 'NASDAQ',
  T: 'NASDAQ',
  U: 'MEMX',
  V: 'IEX',
  W: 'CBOE',
  X: 'NASDAQ PSX',
  Y: 'BATS Y',
  Z: 'BATS',
};

export const readEquityTradeTick = recordReader({
  nanosOfDay,
  price: scaledPrice('price'),
  quantity: integer('quantity'),
  venue: asItIs,
  conditions,
  isSuspicious,
});

export const readEquityQuoteTick = recordReader({
  nanosOfDay,
  bidPrice: scaledPrice('bid price'),
  bidSize: integer('bid size'),
  askPrice: scaledPrice('ask price'),
  askSize: integer('ask size'),
  venue: asItIs,
  conditions,
  isSuspicious,
});
export type QuoteTick = ReturnType<typeof readEquityQuoteTick>;

/** The venue and the condition of futures files say nothing, whatever they are. */
export const readFuturesTradeTick = recordReader({
  nanosOfDay,
  price: decimal('price'),
  quantity: integer('quantity'),
  venue: asItIs,
  conditions: asItIs,
  isSuspicious,
});

const ohlc = (price: PriceReader, side = '') => ({
  open: price(`${side}open`),
  high: price(`${side}high`),
  low: price(`${side}low`),
  close: price(`${side}close`),
});

/** The time of a bar is its start. */
const tradeBarReader = (price: PriceReader) =>
  recordReader({ nanosOfDay, ...ohlc(price), volume: integer('volume') });

export const readScaledTradeBar = tradeBarReader(scaledPrice);
export const readPlainTradeBar = tradeBarReader(decimal);
export type TradeBar = ReturnType<typeof readPlainTradeBar>;

/** `closeSize`: the last size of the bar. Null where that side had no quote. */
function sideReader(side: string, price: PriceReader) {
  const read = recordReader({ ...ohlc(price, side), closeSize: integer(`${side}size`) });
  return (fields: Fields) => {
    const isEmpty = fields.slice(0, -1).every((text) => text === '' || text === '0');
    if (!isEmpty) return read(fields);
    integer(`${side}size`)(fields.at(-1) as string);
    return null;
  };
}

function quoteBarReader(price: PriceReader) {
  const [bid, ask] = [sideReader('bid ', price), sideReader('ask ', price)];
  return (fields: Fields) => {
    expectFields(fields, 11);
    return {
      nanosOfDay: nanosOfDay(fields[0] as string),
      bid: bid(fields.slice(1, 6)),
      ask: ask(fields.slice(6)),
    };
  };
}

export const readScaledQuoteBar = quoteBarReader(scaledPrice);
export const readPlainQuoteBar = quoteBarReader(decimal);
export type QuoteBar = ReturnType<typeof readPlainQuoteBar>;

export const readDailyBar = recordReader({
  date: (text) => existingDate(text.replace(/ 00:00$/, '')),
  ...ohlc(scaledPrice),
  volume: integer('volume'),
});
export type DailyBar = ReturnType<typeof readDailyBar>;

export const readOpenInterest = recordReader({ nanosOfDay, contracts: integer('open interest') });

/** A line of a map file. */
export interface MapRow {
  readonly lastDate: string;
  readonly ticker: string;
  /** Name of the venue that lists it; null where the line does not say it. */
  readonly venue: string | null;
}

export function readMapRow(fields: Fields): MapRow {
  const [lastDate = '', ticker = '', venue = ''] = fields;
  if (fields.length < 2 || fields.length > 4) {
    throw new BadField(null, fields.join(','), 'a row with a date, a ticker and a venue letter');
  }
  if (!isIdentifierText(ticker)) throw new BadField('ticker', ticker, IDENTIFIER_TEXT);
  return {
    lastDate: existingDate(lastDate),
    ticker: ticker.toUpperCase(),
    venue: VENUES[venue.toUpperCase()] ?? null,
  };
}

/** A line of a factor file. `lastDate`: the last date that the factors apply to. */
export const readFactorRow = recordReader({
  lastDate: existingDate,
  priceFactor: factor('price factor'),
  splitFactor: factor('split factor'),
  referencePrice: asItIs,
});
export type FactorRow = ReturnType<typeof readFactorRow>;
