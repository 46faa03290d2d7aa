/**
 * Market events as the computations read them: one record for each row of a tick dataset, in feed
 * order, of one instrument and one trade date. Times are nanoseconds since local midnight of the
 * trade date (exact below 2^53, below 0 in the night before it), prices are dollars.
 */
import type { Quantity } from './quantity.ts';
import type { Session } from './sessions.ts';

export const EQUITY_EVENT_TYPES = [
  'TRADE',
  'TRADE NB',
  'TRADE CANCELLED',
  'TRADE NB CANCELLED',
  'QUOTE ASK',
  'QUOTE ASK NB',
  'QUOTE BID',
  'QUOTE BID NB',
] as const;

export type EquityEventType = (typeof EQUITY_EVENT_TYPES)[number];

export interface EquityEvent {
  readonly nanosOfDay: number;
  readonly type: EquityEventType;
  readonly price: number;
  /** Shares. */
  readonly quantity: Quantity;
  readonly exchange: string;
  /** Unsigned 32-bit mask of trade or quote conditions; bit 32 is that of bests alone. */
  readonly conditions: number;
}

/** The fields of an event that bars of trades alone need. */
export type EquityTradeEvent = Omit<EquityEvent, 'exchange'>;

export interface FuturesEvent {
  readonly nanosOfDay: number;
  /** `QUOTE BID`, `QUOTE SELL`, `TRADE`, `TRADE AGRESSOR ON BUY`, `TRADE AGRESSOR ON SELL`, … */
  readonly type: string;
  readonly price: number;
  /** Contracts. */
  readonly quantity: Quantity;
  readonly orders: number;
  readonly flags: number;
  readonly typeMask: number;
}

export interface OptionTradeEvent {
  readonly nanosOfDay: number;
  /** `T` trade, `C` cancel. */
  readonly type: 'T' | 'C';
  readonly price: number;
  /** Contracts. */
  readonly quantity: Quantity;
  readonly exchange: string;
  /** OPRA trade condition letter, or empty. */
  readonly condition: string;
  readonly underBid: number | null;
  readonly underAsk: number | null;
}

/** Input of the computations: one equity on one trade date. */
export interface EquityDay {
  /** In feed order. */
  readonly events: Iterable<EquityEvent>;
  readonly isHalfDay: boolean;
  /** Absent: US stock markets. */
  readonly sessions?: readonly Session[];
  /** Average price of the last ten trading days in dollars, or null without history. */
  readonly averagePrice: number | null;
}
