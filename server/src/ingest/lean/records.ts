/** The lines of each kind of LEAN file as records. */
import {
  conditionField,
  dateField,
  decimalField,
  expectFields,
  integerField,
  type PriceField,
  scaledPriceField,
  suspiciousField,
  timeField,
} from './fields.ts';

type Fields = readonly string[];
const at = (fields: Fields, index: number): string => fields[index] as string;

export interface Ohlc {
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
export type FuturesTradeTick = Omit<TradeTick, 'venue' | 'conditions'>;

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

export interface QuoteSide extends Ohlc {
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

export interface OpenInterest {
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
