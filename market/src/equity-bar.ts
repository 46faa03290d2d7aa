/**
 * The course of one equity through one trade date, cut into bars. The whole day passes through one
 * `EquityBar`, which is read at each bar's end and then starts anew with the quote that stands.
 */
import type { AggregationLogic } from './aggregation-logic.ts';
import { isCountedQuote, TRADE_USE } from './conditions.ts';
import type { EquityDay } from './equity-day.ts';
import type { EquityEvent } from './events.ts';
import { NationalBest } from './national-best.ts';
import { QuoteBar } from './quote-bar.ts';
import { ticksOfPrice } from './rounding.ts';
import { TradeBar } from './trade-bar.ts';
import { TradePlacement } from './trade-placement.ts';

export const NANOS_PER_SECOND = 1e9;
export const NANOS_PER_MINUTE = 60e9;
const NANOS_PER_HOUR = 3600e9;
export const DAY_START_NANOS = 4 * NANOS_PER_HOUR;
export const DAY_END_NANOS = 20 * NANOS_PER_HOUR;
export const REGULAR_START_NANOS = 9.5 * NANOS_PER_HOUR;

/** Where regular hours end, in nanoseconds since local midnight. */
export function regularEndNanos(isHalfDay: boolean): number {
  return (isHalfDay ? 13 : 16) * NANOS_PER_HOUR;
}

/** Venue name of all off-exchange reports. */
export const FINRA = 'FINRA';

export interface EquityBar {
  readonly quotes: QuoteBar;
  readonly trades: TradeBar;
  /** Nanoseconds since local midnight. */
  startNanos: number;
  lengthNanos: number;
}

/** Prices in ten-thousandths that a quote must lie within to count. */
function quoteBand(averagePrice: number | null): { least: number; greatest: number } {
  if (averagePrice === null) return { least: ticksOfPrice(0.03), greatest: ticksOfPrice(19_998) };
  return { least: averagePrice * 500, greatest: averagePrice * 100_000 };
}

export class EquityCourse {
  readonly bar: EquityBar;
  readonly #quotes = new QuoteBar();
  readonly #trades = new TradeBar();
  readonly #bid = new NationalBest();
  readonly #ask = new NationalBest();
  readonly #placement = new TradePlacement();
  readonly #tradeUse: (conditions: number, isRegularHours: boolean) => number;
  readonly #band: { least: number; greatest: number };
  readonly #regularEndNanos: number;

  constructor(day: EquityDay, logic: AggregationLogic) {
    this.#tradeUse = TRADE_USE[logic];
    this.#band = quoteBand(day.averagePrice);
    this.#regularEndNanos = regularEndNanos(day.isHalfDay);
    this.bar = { quotes: this.#quotes, trades: this.#trades, startNanos: 0, lengthNanos: 0 };
  }

  startBar(startNanos: number, lengthNanos: number): void {
    this.bar.startNanos = startNanos;
    this.bar.lengthNanos = lengthNanos;
    this.#quotes.reset(this.#bid, this.#ask);
    this.#trades.reset();
  }

  /** Takes an event of the present bar, `nanos` after its start. */
  take(event: EquityEvent, nanos: number): void {
    switch (event.type) {
      case 'TRADE':
      case 'TRADE NB':
        this.#takeTrade(event, nanos);
        break;
      case 'TRADE CANCELLED':
      case 'TRADE NB CANCELLED':
        this.#trades.cancel(event.quantity);
        break;
      case 'QUOTE BID':
      case 'QUOTE BID NB':
        this.#takeQuote(event, nanos, this.#bid, event.type === 'QUOTE BID NB');
        break;
      case 'QUOTE ASK':
      case 'QUOTE ASK NB':
        this.#takeQuote(event, nanos, this.#ask, event.type === 'QUOTE ASK NB');
        break;
    }
  }

  /** A quote from before the first bar: it stands when the bar starts. */
  takeEarlyQuote(event: EquityEvent): void {
    if (event.type.startsWith('QUOTE')) this.take(event, 0);
  }

  #takeTrade(event: EquityEvent, nanos: number): void {
    const { price, quantity, conditions } = event;
    if (price <= 0 || quantity <= 0) return;
    const atNanos = this.bar.startNanos + nanos;
    const isRegularHours = atNanos >= REGULAR_START_NANOS && atNanos < this.#regularEndNanos;
    const use = this.#tradeUse(conditions, isRegularHours);
    if (use === 0) return;
    const { trade } = this.#placement;
    this.#placement.place(ticksOfPrice(price), this.#bid.ticks, this.#ask.ticks);
    trade.shares = quantity;
    trade.conditions = conditions;
    trade.isFinra = event.exchange === FINRA;
    trade.use = use;
    this.#trades.add(trade, nanos);
  }

  /** A venue's row that does not count still ends the quote that the venue showed before. */
  #takeQuote(event: EquityEvent, nanos: number, side: NationalBest, isBestRow: boolean): void {
    const ticks = ticksOfPrice(event.price);
    const isCounted =
      ticks > 0 &&
      event.quantity > 0 &&
      ticks >= this.#band.least &&
      ticks <= this.#band.greatest &&
      isCountedQuote(event.conditions);
    const isNationalBest = isCounted && isBestRow;
    side.update(event.exchange, isCounted ? ticks : 0, event.quantity, isNationalBest);
    const isBid = side === this.#bid;
    if (isCounted) this.#countQuote(isBid, isNationalBest);
    if (side.ticks === 0) return;
    (isBid ? this.#quotes.bid : this.#quotes.ask).update(side.ticks, side.size, nanos);
    if (!isNationalBest) return;
    this.#quotes.updateSpread(nanos);
    this.#placement.setQuote(this.#bid.ticks, this.#ask.ticks);
  }

  #countQuote(isBid: boolean, isNationalBest: boolean): void {
    if (isBid) this.#quotes.bidCount += 1;
    else this.#quotes.askCount += 1;
    if (isNationalBest) this.#quotes.nationalBestCount += 1;
  }
}
