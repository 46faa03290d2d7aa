/**
 * All events of one equity on one day, in feed order: quotes of several venues that follow the
 * day's price, trades against them, the two auctions, late cancels, and a halt if there is one.
 */
import type { EquityEvent } from '@ticklake/market/events.ts';
import { auctionTrades, cancelOf, drawTrade, type Market } from './equity-trades.ts';
import type { Halt } from './halts.ts';
import {
  type DayPrices,
  minuteLevels,
  minuteWeights,
  momentsOfMinute,
  NANOS_PER_MINUTE,
  type SessionMinutes,
} from './intraday-path.ts';
import type { Random } from './random.ts';
import {
  QUOTE_NEWS,
  QUOTE_OPENING,
  QUOTE_PAUSED,
  QUOTE_REGULAR,
  QUOTE_RESUME,
  type Side,
  VenueBook,
} from './venue-book.ts';

export interface EquityDayPlan {
  readonly prices: DayPrices;
  readonly session: SessionMinutes;
  readonly tradeCount: number;
  /** 0: trades alone. */
  readonly quoteCount: number;
  readonly averageVolume: number;
  readonly spreadCents: number;
  readonly venues: readonly string[];
  readonly listingExchange: string;
  readonly hasAuctions: boolean;
  readonly halt: Halt | null;
}

const CANCEL_SHARE = 0.002;
const SIDES: readonly Side[] = ['bid', 'ask'];

function lots(shares: number): number {
  return Math.max(1, Math.round(shares / 100)) * 100;
}

class EquityDaySimulation {
  readonly events: EquityEvent[] = [];
  readonly #plan: EquityDayPlan;
  readonly #random: Random;
  readonly #book: VenueBook;
  readonly #levels: Float64Array;
  #pendingCancel: EquityEvent | null = null;
  #lastNanos = 0;

  constructor(plan: EquityDayPlan, random: Random) {
    this.#plan = plan;
    this.#random = random;
    this.#book = new VenueBook(plan.venues, (event) => this.#push(event));
    this.#levels = minuteLevels(plan.session, plan.prices, random);
  }

  run(): readonly EquityEvent[] {
    const { session, tradeCount, quoteCount, halt } = this.#plan;
    const weights = minuteWeights(session);
    const isHaltedAtStart = halt?.fromMinute === session.start;
    if (quoteCount > 0 && !isHaltedAtStart) this.#quoteEveryVenue(session.start, QUOTE_OPENING, 3);
    for (let minute = session.start; minute < session.end; minute++) {
      if (halt && this.#isHalted(minute, halt)) continue;
      this.#auctionAt(minute);
      const weight = weights[minute - session.start] as number;
      const trades = this.#random.poisson(weight * tradeCount);
      const quotes = quoteCount > 0 ? this.#random.poisson(weight * quoteCount) : 0;
      this.#runMinute(minute, trades, quotes);
    }
    if (quoteCount > 0) this.#emptyEveryVenue(session.end, QUOTE_REGULAR);
    this.#flushCancel(Number.POSITIVE_INFINITY);
    return this.events;
  }

  #push(event: EquityEvent): void {
    if (this.#pendingCancel) this.#flushCancel(event.nanosOfDay);
    this.#lastNanos = Math.max(this.#lastNanos, event.nanosOfDay);
    this.events.push(
      event.nanosOfDay === this.#lastNanos ? event : { ...event, nanosOfDay: this.#lastNanos },
    );
  }

  #flushCancel(untilNanos: number): void {
    const cancel = this.#pendingCancel;
    if (!cancel || cancel.nanosOfDay > untilNanos) return;
    this.#pendingCancel = null;
    this.#push(cancel);
  }

  #runMinute(minute: number, trades: number, quotes: number): void {
    let tradesLeft = trades;
    const moments = momentsOfMinute(minute, trades + quotes, this.#random);
    for (let i = 0; i < moments.length; i++) {
      const nanos = moments[i] as number;
      const isTrade = this.#random.next() * (moments.length - i) < tradesLeft;
      if (isTrade) {
        tradesLeft--;
        this.#trade(nanos);
      } else this.#requote(nanos);
    }
  }

  /** Cents that the price is at, between two minutes' levels. */
  #centsAt(nanos: number): number {
    const minutes = nanos / NANOS_PER_MINUTE - this.#plan.session.start;
    const index = Math.min(Math.floor(minutes), this.#levels.length - 2);
    const before = this.#levels[index] as number;
    const after = this.#levels[index + 1] as number;
    return 100 * (before + (after - before) * Math.min(1, minutes - index));
  }

  #targetsAt(nanos: number, spreadFactor: number): Record<Side, number> {
    const half = (this.#plan.spreadCents * spreadFactor) / 2;
    const middle = this.#centsAt(nanos) + 0.3 * this.#random.normal();
    const bid = Math.max(1, Math.floor(middle - half + 0.5 + 0.4 * this.#random.normal()));
    return { bid, ask: Math.max(bid + 1, Math.ceil(middle + half - 0.5)) };
  }

  #place(side: Side, venue: number, cents: number, nanos: number, conditions: number): void {
    const size = 100 * (1 + this.#random.integer(0, 3) * this.#random.integer(0, 4));
    this.#book.set(side, venue, { cents, size }, nanos, conditions);
  }

  /** One venue quotes anew; quotes that the price has left behind are withdrawn with it. */
  #requote(nanos: number): void {
    const random = this.#random;
    const book = this.#book;
    const targets = this.#targetsAt(nanos, this.#isRegular(nanos) ? 1 : 2);
    const side: Side = random.chance(0.5) ? 'bid' : 'ask';
    for (let venue = 0; venue < book.venues.length; venue++) {
      if (book.centsOf('bid', venue) >= targets.ask)
        this.#place('bid', venue, targets.bid - random.integer(0, 1), nanos, QUOTE_REGULAR);
      const ask = book.centsOf('ask', venue);
      if (ask > 0 && ask <= targets.bid)
        this.#place('ask', venue, targets.ask + random.integer(0, 1), nanos, QUOTE_REGULAR);
    }
    const venue = random.integer(0, book.venues.length - 1);
    const distance = random.chance(0.6) ? 0 : random.integer(1, 3);
    const cents = side === 'bid' ? targets.bid - distance : targets.ask + distance;
    this.#place(side, venue, Math.max(1, cents), nanos, QUOTE_REGULAR);
  }

  #isRegular(nanos: number): boolean {
    const { open, close } = this.#plan.session;
    return nanos >= open * NANOS_PER_MINUTE && nanos < close * NANOS_PER_MINUTE;
  }

  #marketAt(nanos: number): Market {
    const isRegularSession = this.#isRegular(nanos);
    const book = this.#book;
    const bidCents = book.best('bid');
    const askCents = book.best('ask');
    if (bidCents > 0 && askCents > 0)
      return {
        bidCents,
        askCents,
        bidVenue: book.venues[book.bestVenue('bid')] as string,
        askVenue: book.venues[book.bestVenue('ask')] as string,
        isRegularSession,
      };
    const targets = this.#targetsAt(nanos, isRegularSession ? 1 : 2);
    const venue = this.#random.pick(book.venues);
    return {
      bidCents: targets.bid,
      askCents: targets.ask,
      bidVenue: venue,
      askVenue: venue,
      isRegularSession,
    };
  }

  #trade(nanos: number): void {
    const trade = drawTrade(nanos, this.#marketAt(nanos), this.#random);
    this.#push(trade);
    if (this.#pendingCancel || !this.#random.chance(CANCEL_SHARE)) return;
    const delay = this.#random.integer(1, 90) * 1_000_000_007;
    this.#pendingCancel = cancelOf(trade, nanos + delay);
  }

  #auctionAt(minute: number): void {
    const { session, prices, averageVolume, listingExchange, hasAuctions } = this.#plan;
    if (!hasAuctions || (minute !== session.open && minute !== session.close)) return;
    const kind = minute === session.open ? 'open' : 'close';
    const share = (kind === 'open' ? 0.04 : 0.09) * this.#random.uniform(0.7, 1.4);
    const auction = {
      price: prices[kind],
      shares: lots(averageVolume * share),
      exchange: listingExchange,
    };
    const nanos = minute * NANOS_PER_MINUTE + this.#random.integer(200_000, 20_000_000);
    for (const trade of auctionTrades(nanos, kind, auction)) this.#push(trade);
  }

  #quoteEveryVenue(minute: number, conditions: number, spreadFactor: number): void {
    const nanos = minute * NANOS_PER_MINUTE;
    const targets = this.#targetsAt(nanos, spreadFactor);
    for (let venue = 0; venue < this.#book.venues.length; venue++)
      for (const side of SIDES) {
        const away = this.#random.integer(0, 4) * (side === 'bid' ? -1 : 1);
        const moment = nanos + 1_000_003 * (venue + 1) + this.#random.integer(0, 999_999);
        this.#place(side, venue, Math.max(1, targets[side] + away), moment, conditions);
      }
  }

  #emptyEveryVenue(minute: number, conditions: number): void {
    const nanos = minute * NANOS_PER_MINUTE + this.#random.integer(100_000, 900_000);
    for (let venue = 0; venue < this.#book.venues.length; venue++)
      for (const side of SIDES)
        if (this.#book.centsOf(side, venue) > 0)
          this.#book.set(side, venue, { cents: 0, size: 0 }, nanos + venue * 1000, conditions);
  }

  /** True in a halted minute; empties the book at the first one, fills it after the last. */
  #isHalted(minute: number, halt: Halt): boolean {
    const { averageVolume, listingExchange, quoteCount } = this.#plan;
    if (minute === halt.fromMinute && quoteCount > 0)
      this.#emptyEveryVenue(minute, halt.code === 'LUDP' ? QUOTE_PAUSED : QUOTE_NEWS);
    if (minute === halt.toMinute) {
      const nanos = minute * NANOS_PER_MINUTE;
      if (quoteCount > 0) {
        this.#quoteEveryVenue(minute, QUOTE_RESUME, 2);
        this.#quoteEveryVenue(minute, QUOTE_REGULAR, 2);
      }
      const price = Math.round(this.#centsAt(nanos)) / 100;
      const auction = { price, shares: lots(averageVolume * 0.02), exchange: listingExchange };
      for (const trade of auctionTrades(nanos + 25_000_000, 'reopen', auction)) this.#push(trade);
    }
    return minute >= halt.fromMinute && (halt.toMinute === null || minute < halt.toMinute);
  }
}

/** The day's events in feed order; times never decrease. */
export function equityEvents(plan: EquityDayPlan, random: Random): readonly EquityEvent[] {
  return new EquityDaySimulation(plan, random).run();
}
