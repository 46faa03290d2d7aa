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

/** Throws unless the line has exactly `count` fields. */
function expectFields(fields: Fields, count: number): void {
  if (fields.length !== count) {
    throw new BadField(null, fields.join(','), `a row with ${count} fields`);
  }
}

function integerField(field: string, text: string): number {
  if (!INTEGER.test(text)) throw new BadField(field, text, 'a whole number, 0 or more');
  return Number(text);
}

/** A price or factor as it is written. */
function decimalField(field: string, text: string): number {
  if (!DECIMAL.test(text)) throw new BadField(field, text, 'a decimal number, 0 or more');
  return Number(text);
}

/** Dollars of a price in ten-thousandths: the double nearest to the exact decimal. */
export function scaledPriceField(field: string, text: string): number {
  if (!DECIMAL.test(text)) throw new BadField(field, text, 'a price in dollars times 10000');
  return Number(`${text}e-4`);
}

/** How a file writes its prices. */
type PriceField = (field: string, text: string) => number;

/** Nanoseconds since midnight of milliseconds, which may have decimals. */
function timeField(text: string): number {
  const match = MILLISECONDS.exec(text);
  const whole = Number(match?.[1] ?? Number.NaN) * NANOS_PER_MILLISECOND;
  const nanos = whole + Math.round(Number(match?.[2] ?? 0) * NANOS_PER_MILLISECOND);
  if (!(nanos < NANOS_PER_DAY)) {
    throw new BadField('time', text, 'a time of day in milliseconds, 0 to 86399999');
  }
  return nanos;
}

/** A mask of condition bits, written in hexadecimal; empty for none. */
function conditionField(text: string): number {
  if (text === '') return 0;
  if (!HEX_MASK.test(text)) {
    throw new BadField('conditions', text, 'a 32-bit mask in hexadecimal');
  }
  return Number.parseInt(text, 16);
}

function suspiciousField(text: string): boolean {
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

function dateField(text: string): string {
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

type Fields = readonly string[];
const at = (fields: Fields, index: number): string => fields[index] as string;

interface Ohlc {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

function readOhlc(fields: Fields, from: number, side: string, price: PriceField): Ohlc {
  return {
    open: price(`${side}open`, at(fields, from)),
    high: price(`${side}high`, at(fields, from + 1)),
    low: price(`${side}low`, at(fields, from + 2)),
    close: price(`${side}close`, at(fields, from + 3)),
  };
}

export interface TradeTick {
  readonly nanosOfDay: number;
  readonly price: number;
  readonly quantity: number;
  readonly venue: string;
  readonly conditions: number;
  readonly isSuspicious: boolean;
}

export function readEquityTradeTick(fields: Fields): TradeTick {
  expectFields(fields, 6);
  return {
    nanosOfDay: timeField(at(fields, 0)),
    price: scaledPriceField('price', at(fields, 1)),
    quantity: integerField('quantity', at(fields, 2)),
    venue: at(fields, 3),
    conditions: conditionField(at(fields, 4)),
    isSuspicious: suspiciousField(at(fields, 5)),
  };
}

export interface QuoteTick {
  readonly nanosOfDay: number;
  readonly bidPrice: number;
  readonly bidSize: number;
  readonly askPrice: number;
  readonly askSize: number;
  readonly venue: string;
  readonly conditions: number;
  readonly isSuspicious: boolean;
}

export function readEquityQuoteTick(fields: Fields): QuoteTick {
  expectFields(fields, 8);
  return {
    nanosOfDay: timeField(at(fields, 0)),
    bidPrice: scaledPriceField('bid price', at(fields, 1)),
    bidSize: integerField('bid size', at(fields, 2)),
    askPrice: scaledPriceField('ask price', at(fields, 3)),
    askSize: integerField('ask size', at(fields, 4)),
    venue: at(fields, 5),
    conditions: conditionField(at(fields, 6)),
    isSuspicious: suspiciousField(at(fields, 7)),
  };
}

/** The venue and the condition of futures files say nothing and are not read. */
type FuturesTradeTick = Omit<TradeTick, 'venue' | 'conditions'>;

export function readFuturesTradeTick(fields: Fields): FuturesTradeTick {
  expectFields(fields, 6);
  return {
    nanosOfDay: timeField(at(fields, 0)),
    price: decimalField('price', at(fields, 1)),
    quantity: integerField('quantity', at(fields, 2)),
    isSuspicious: suspiciousField(at(fields, 5)),
  };
}

export interface TradeBar extends Ohlc {
  /** Start of the bar. */
  readonly nanosOfDay: number;
  readonly volume: number;
}

function tradeBarReader(price: PriceField): (fields: Fields) => TradeBar {
  return (fields) => {
    expectFields(fields, 6);
    return {
      nanosOfDay: timeField(at(fields, 0)),
      ...readOhlc(fields, 1, '', price),
      volume: integerField('volume', at(fields, 5)),
    };
  };
}

interface QuoteSide extends Ohlc {
  /** Last size of the bar. */
  readonly closeSize: number;
}

export interface QuoteBar {
  /** Start of the bar. */
  readonly nanosOfDay: number;
  /** Null where that side had no quote. */
  readonly bid: QuoteSide | null;
  readonly ask: QuoteSide | null;
}

function readSide(fields: Fields, from: number, side: string, price: PriceField): QuoteSide | null {
  const closeSize = integerField(`${side}size`, at(fields, from + 4));
  if (fields.slice(from, from + 4).every((text) => text === '' || text === '0')) return null;
  return { ...readOhlc(fields, from, side, price), closeSize };
}

function quoteBarReader(price: PriceField): (fields: Fields) => QuoteBar {
  return (fields) => {
    expectFields(fields, 11);
    return {
      nanosOfDay: timeField(at(fields, 0)),
      bid: readSide(fields, 1, 'bid ', price),
      ask: readSide(fields, 6, 'ask ', price),
    };
  };
}

export const readScaledTradeBar = tradeBarReader(scaledPriceField);
export const readScaledQuoteBar = quoteBarReader(scaledPriceField);
export const readPlainTradeBar = tradeBarReader(decimalField);
export const readPlainQuoteBar = quoteBarReader(decimalField);

export interface DailyBar extends Ohlc {
  readonly date: string;
  readonly volume: number;
}

export function readDailyBar(fields: Fields): DailyBar {
  expectFields(fields, 6);
  return {
    date: dateField(at(fields, 0).replace(/ 00:00$/, '')),
    ...readOhlc(fields, 1, '', scaledPriceField),
    volume: integerField('volume', at(fields, 5)),
  };
}

interface OpenInterest {
  readonly nanosOfDay: number;
  readonly contracts: number;
}

export function readOpenInterest(fields: Fields): OpenInterest {
  expectFields(fields, 2);
  return {
    nanosOfDay: timeField(at(fields, 0)),
    contracts: integerField('open interest', at(fields, 1)),
  };
}

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
    lastDate: dateField(lastDate),
    ticker: ticker.toUpperCase(),
    venue: VENUES[venue.toUpperCase()] ?? null,
  };
}

/** A line of a factor file. */
export interface FactorRow {
  /** The last date that the factors apply to. */
  readonly lastDate: string;
  readonly priceFactor: number;
  readonly splitFactor: number;
}

function factorField(field: string, text: string): number {
  const factor = decimalField(field, text);
  if (factor === 0) throw new BadField(field, text, 'a number greater than 0');
  return factor;
}

export function readFactorRow(fields: Fields): FactorRow {
  expectFields(fields, 4);
  const [date, priceFactor, splitFactor] = fields as readonly [string, string, string, string];
  return {
    lastDate: dateField(date),
    priceFactor: factorField('price factor', priceFactor),
    splitFactor: factorField('split factor', splitFactor),
  };
}
