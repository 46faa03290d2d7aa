/** Inputs of the analytics of a day's options: the last quotes before stock trading ends. */
import { isHalfDay } from './calendar.ts';
import type { OptionSnapshot, QuoteStamp } from './option-analytics.ts';
import type { Quantity } from './quantity.ts';
import { dayHours, US_STOCK_SESSIONS } from './sessions.ts';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;

/** Nanoseconds since midnight at which regular stock trading ends. */
export function stockCloseNanos(date: string): number {
  return dayHours(US_STOCK_SESSIONS, isHalfDay(date)).regularEndNanos;
}

/** Roots of European index options. Source: Cboe's contract specifications. */
const EUROPEAN_ROOTS: ReadonlySet<string> = new Set([
  ...['SPX', 'SPXW', 'XSP', 'NDX', 'NDXP', 'XND', 'RUT', 'RUTW', 'MRUT'],
  ...['DJX', 'VIX', 'VIXW', 'XEO', 'MXEA', 'MXEF'],
]);

/** Options on stocks and funds are American: they can be exercised on any day. */
export function exerciseStyleOf(root: string): 'A' | 'E' {
  return EUROPEAN_ROOTS.has(root) ? 'E' : 'A';
}

/** The midpoint in dollars, to four decimals; null without both sides. */
export function underlyingMid(bid: number | null, ask: number | null): number | null {
  if (bid === null || ask === null || !(bid > 0) || !(ask > 0)) return null;
  return Math.round((bid + ask) * 5000) / 10_000;
}

/** A quote of a contract as the ticks have it. */
export interface OptionQuote {
  readonly nanosOfDay: number;
  /** `FQ NB` is a firm quote at the national best. */
  readonly action: string;
  /** B or A. */
  readonly side: string | null;
  readonly price: number;
  readonly quantity: Quantity;
  /** Letter of the quote condition. */
  readonly condition?: string | null;
}

/** A quote that stands on one side. */
export interface StandingQuote extends QuoteStamp {
  /** Contracts. */
  readonly quantity: Quantity;
  readonly condition: string | null;
}

/** The action of a firm quote at the national best. */
export const FIRM_NATIONAL_BEST = 'FQ NB';

/** The last quote of a contract's sides. One without price or quantity empties its side. */
export class LastQuotes {
  bid: StandingQuote | null = null;
  ask: StandingQuote | null = null;

  take({ nanosOfDay, action, side, price, quantity, condition = null }: OptionQuote): void {
    if (action !== FIRM_NATIONAL_BEST) return;
    const quote = price > 0 && quantity > 0 ? { price, quantity, condition, nanosOfDay } : null;
    if (side === 'B') this.bid = quote;
    if (side === 'A') this.ask = quote;
  }
}

/** A cash dividend by its adjustment factor, which multiplies prices before the date. */
export interface DividendEvent {
  readonly effectiveDate: string;
  readonly factor: number;
}

/** The dividends of the year up to a date, as a share of the prices before them. */
export function trailingDividendYield(events: readonly DividendEvent[], date: string): number {
  const first = new Date(Date.parse(date) - (YEAR_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  return events
    .filter(({ effectiveDate }) => effectiveDate >= first && effectiveDate <= date)
    .toSorted((a, b) => (a.effectiveDate < b.effectiveDate ? -1 : 1))
    .reduce((sum, { factor }) => sum + (1 - factor), 0);
}

/** Values that all contracts of a root share on a date. */
export interface RootClose {
  readonly root: string;
  readonly date: string;
  readonly underMid: number | null;
  readonly rate: number;
  readonly dividendYield: number;
}

interface Contract {
  readonly callPut: 'C' | 'P';
  readonly strike: number;
  readonly expiration: string;
}

export function optionSnapshot(
  { root, date, underMid, rate, dividendYield }: RootClose,
  { callPut, strike, expiration }: Contract,
  { bid, ask }: LastQuotes,
): OptionSnapshot {
  return {
    tradeDate: date,
    isHalfDay: isHalfDay(date),
    isCall: callPut === 'C',
    isAmerican: exerciseStyleOf(root) === 'A',
    ...{ expiration, strike, underMid, bid, ask, rate, dividendYield },
  };
}
