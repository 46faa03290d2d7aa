/** The events of one futures contract in one part of a session, and its order book's changes. */

import type { FuturesEvent } from '@ticklake/market/events.ts';
import { roundDecimals } from '@ticklake/market/rounding.ts';
import { BOOK_LEVELS, type BookSideName, FuturesBook } from './futures-book.ts';
import type { FuturesContract } from './futures-contracts.ts';
import { momentsOfMinute, NANOS_PER_MINUTE } from './intraday-path.ts';
import type { Random } from './random.ts';

/** One side of the book after a change. */
export interface DepthEvent {
  readonly nanosOfDay: number;
  readonly side: 'B' | 'S';
  /** Deepest level that changed, from 1. */
  readonly depth: number;
  readonly prices: readonly number[];
  readonly sizes: readonly number[];
  readonly orders: readonly number[];
}

export interface FuturesPartPlan {
  readonly contract: FuturesContract;
  readonly fromMinute: number;
  /** Price of the contract at each minute's start, from `fromMinute` on. */
  readonly levels: Float64Array;
  /** Expected share of the session's events in each minute, from `fromMinute` on. */
  readonly weights: Float64Array;
  readonly tradeCount: number;
  readonly quoteCount: number;
  readonly isSessionStart: boolean;
  /** Settlement price where this part ends the session. */
  readonly settlement: number | null;
  readonly openInterest: number;
  /** Also keep every change of the book. */
  readonly hasDepth: boolean;
}

export interface FuturesPart {
  readonly events: readonly FuturesEvent[];
  readonly depth: readonly DepthEvent[];
}

const MASK = { quote: 33, trade: 34, openInterest: 43, emptyBook: 44, statistic: 32 };
const SELL_SIDE = 64;
const BUY_SIDE = 128;
const FLAG = { plain: 0, implied: 1, high: 2, low: 4, opening: 16 } as const;
const IMPLIED_SHARE = 0.03;
const PLAIN_TRADE_SHARE = 0.02;
const MINUTE_OF = { openInterest: 7 * 60, settlement: 15 * 60 + 15 } as const;

const QUOTE_OF: Record<BookSideName, { readonly type: string; readonly typeMask: number }> = {
  bid: { type: 'QUOTE BID', typeMask: MASK.quote + BUY_SIDE },
  ask: { type: 'QUOTE SELL', typeMask: MASK.quote + SELL_SIDE },
};

type Statistic = Pick<FuturesEvent, 'type' | 'typeMask'> &
  Partial<Pick<FuturesEvent, 'price' | 'quantity' | 'flags'>>;

class FuturesPartSimulation {
  readonly events: FuturesEvent[] = [];
  readonly depth: DepthEvent[] = [];
  readonly #plan: FuturesPartPlan;
  readonly #random: Random;
  readonly #book: FuturesBook;
  #high = Number.NEGATIVE_INFINITY;
  #low = Number.POSITIVE_INFINITY;
  #hasOpened: boolean;

  constructor(plan: FuturesPartPlan, random: Random) {
    this.#plan = plan;
    this.#random = random;
    this.#book = new FuturesBook(random);
    this.#hasOpened = !plan.isSessionStart;
  }

  run(): FuturesPart {
    const { fromMinute, weights, tradeCount, quoteCount, settlement } = this.#plan;
    this.#startBook(fromMinute * NANOS_PER_MINUTE + 1_000_000);
    for (let i = 0; i < weights.length; i++) {
      const minute = fromMinute + i;
      this.#statisticsAt(minute);
      const weight = weights[i] as number;
      const trades = this.#random.poisson(weight * tradeCount);
      const quotes = this.#random.poisson(weight * quoteCount);
      this.#runMinute(minute, trades, quotes);
    }
    if (settlement !== null) {
      const nanosOfDay = (fromMinute + weights.length) * NANOS_PER_MINUTE;
      this.#statistic(nanosOfDay, { type: 'EMPTY BOOK FINAL', typeMask: MASK.emptyBook });
    }
    return { events: this.events, depth: this.depth };
  }

  #statistic(nanosOfDay: number, statistic: Statistic): void {
    const { type, price = 0, quantity = 0, typeMask, flags = FLAG.plain } = statistic;
    this.events.push({ nanosOfDay, type, price, quantity, orders: 0, flags, typeMask });
  }

  #statisticsAt(minute: number): void {
    const { settlement, openInterest } = this.#plan;
    if (settlement === null) return;
    const nanosOfDay = minute * NANOS_PER_MINUTE;
    if (minute === MINUTE_OF.openInterest) {
      const told = { type: 'OPEN INTEREST', quantity: openInterest, typeMask: MASK.openInterest };
      this.#statistic(nanosOfDay, told);
    }
    if (minute === MINUTE_OF.settlement) {
      const told = { type: 'SETTLEMENT PRICE', price: settlement, typeMask: MASK.statistic };
      this.#statistic(nanosOfDay, told);
    }
  }

  #runMinute(minute: number, trades: number, quotes: number): void {
    let tradesLeft = trades;
    const moments = momentsOfMinute(minute, trades + quotes, this.#random);
    for (let i = 0; i < moments.length; i++) {
      const nanosOfDay = moments[i] as number;
      this.#follow(nanosOfDay);
      if (this.#random.next() * (moments.length - i) < tradesLeft) {
        tradesLeft--;
        this.#trade(nanosOfDay);
      } else this.#requote(nanosOfDay);
    }
  }

  #priceOf(ticks: number): number {
    return roundDecimals(ticks * this.#plan.contract.product.tickSize, 7);
  }

  /** The bid, in ticks, that the price asks for. */
  #targetAt(nanosOfDay: number): number {
    const { levels, fromMinute, contract } = this.#plan;
    const minutes = nanosOfDay / NANOS_PER_MINUTE - fromMinute;
    const index = Math.min(Math.floor(minutes), levels.length - 2);
    const before = levels[index] as number;
    const after = levels[index + 1] as number;
    const price = before + (after - before) * Math.min(1, minutes - index);
    return Math.floor(price / contract.product.tickSize + 0.25 * this.#random.normal());
  }

  #startBook(nanosOfDay: number): void {
    const target = this.#targetAt(nanosOfDay);
    this.#book.moveTo('bid', target);
    this.#book.moveTo('ask', target + 1);
    this.#changed('bid', BOOK_LEVELS, nanosOfDay);
    this.#changed('ask', BOOK_LEVELS, nanosOfDay);
  }

  /** Moves the book where the price has gone, the side that gives way first. */
  #follow(nanosOfDay: number): void {
    const target = this.#targetAt(nanosOfDay);
    const move = target - this.#book.bid.best;
    if (move === 0 || (Math.abs(move) === 1 && this.#random.chance(0.5))) return;
    const moves: (readonly [BookSideName, number])[] = [
      ['ask', target + 1],
      ['bid', target],
    ];
    for (const [name, ticks] of move > 0 ? moves : moves.reverse()) {
      this.#book.moveTo(name, ticks);
      this.#changed(name, Math.min(BOOK_LEVELS, Math.abs(move)), nanosOfDay);
    }
  }

  #requote(nanosOfDay: number): void {
    const name: BookSideName = this.#random.chance(0.5) ? 'bid' : 'ask';
    const isDeep = this.#plan.hasDepth && this.#random.chance(0.4);
    const level = isDeep ? this.#random.integer(1, BOOK_LEVELS - 1) : 0;
    this.#book.redraw(name, level);
    this.#changed(name, level + 1, nanosOfDay, level > 0);
    if (level === 0 && this.#random.chance(IMPLIED_SHARE)) this.#impliedQuote(name, nanosOfDay);
  }

  #changed(name: BookSideName, depth: number, nanosOfDay: number, isBelowTop = false): void {
    const side = this.#book[name];
    if (!isBelowTop)
      this.events.push({
        nanosOfDay,
        ...QUOTE_OF[name],
        price: this.#priceOf(side.best),
        quantity: side.sizes[0] as number,
        orders: side.orders[0] as number,
        flags: FLAG.plain,
      });
    if (!this.#plan.hasDepth) return;
    this.depth.push({
      nanosOfDay,
      side: name === 'bid' ? 'B' : 'S',
      depth,
      prices: Array.from(side.sizes, (_, level) => this.#priceOf(this.#book.ticksOf(name, level))),
      sizes: [...side.sizes],
      orders: [...side.orders],
    });
  }

  #impliedQuote(name: BookSideName, nanosOfDay: number): void {
    this.events.push({
      nanosOfDay,
      ...QUOTE_OF[name],
      price: this.#priceOf(this.#book.ticksOf(name, 1)),
      quantity: this.#random.integer(1, 9),
      orders: 0,
      flags: FLAG.implied,
    });
  }

  #trade(nanosOfDay: number): void {
    const isBuy = this.#random.chance(0.5);
    const name: BookSideName = isBuy ? 'ask' : 'bid';
    const side = this.#book[name];
    const isPlain = this.#random.chance(PLAIN_TRADE_SHARE);
    const quantity = 1 + Math.min(this.#random.poisson(1.6), side.sizes[0] as number);
    const price = this.#priceOf(side.best);
    if (!this.#hasOpened) {
      this.#hasOpened = true;
      const opening = { price, typeMask: MASK.statistic, flags: FLAG.opening };
      this.#statistic(nanosOfDay, { ...opening, type: 'OPENING PRICE' });
    }
    this.events.push({
      nanosOfDay,
      type: isPlain ? 'TRADE' : isBuy ? 'TRADE AGRESSOR ON BUY' : 'TRADE AGRESSOR ON SELL',
      price,
      quantity,
      orders: 1 + this.#random.poisson(0.7),
      flags: FLAG.plain,
      typeMask: MASK.trade + (isPlain ? 0 : isBuy ? BUY_SIDE : SELL_SIDE),
    });
    this.#markExtreme(price, nanosOfDay);
    this.#book.take(name, quantity);
    this.#changed(name, 1, nanosOfDay);
  }

  #markExtreme(price: number, nanosOfDay: number): void {
    const isHigh = price > this.#high;
    const isLow = price < this.#low;
    this.#high = Math.max(this.#high, price);
    this.#low = Math.min(this.#low, price);
    const trade = { type: 'TRADE', price, typeMask: MASK.trade };
    if (isHigh) this.#statistic(nanosOfDay, { ...trade, flags: FLAG.high });
    if (isLow) this.#statistic(nanosOfDay, { ...trade, flags: FLAG.low });
  }
}

/** The part's events and book changes in feed order; times never decrease. */
export function futuresPart(plan: FuturesPartPlan, random: Random): FuturesPart {
  return new FuturesPartSimulation(plan, random).run();
}
