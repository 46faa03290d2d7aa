/** The trades of one bar. Offsets are nanoseconds from the bar's start. */
import { ODD_LOT, PRIOR_REFERENCE_PRICE } from './conditions.ts';
import { PriceBar } from './price-bar.ts';
import { type Quantity, QuantitySum } from './quantity.ts';
import { roundDecimals, roundRatio } from './rounding.ts';
import { Turnover } from './turnover.ts';

/** A `PLACE` of a price among best bid and ask, all in ten-thousandths; a side of 0 is no quote. */
function placeOf(ticks: number, bid: number, ask: number): number {
  if (bid === 0 || ask === 0) return NO_PLACE;
  if (bid >= ask) return PLACE.crossOrLocked;
  if (ticks <= bid) return PLACE.bid;
  if (ticks >= ask) return PLACE.ask;
  const twice = 2 * ticks;
  if (twice === bid + ask) return PLACE.mid;
  return twice < bid + ask ? PLACE.bidMid : PLACE.midAsk;
}

export class TradePlacement {
  /** One record for all trades of the day: read it before the next one is placed. */
  readonly trade: PlacedTrade = {
    ticks: 0,
    shares: 0,
    conditions: 0,
    isFinra: false,
    use: 0,
    place: NO_PLACE,
    tick: TICK.unknown,
    twiceMid: Number.NaN,
    spread: Number.NaN,
  };
  #lastTicks = 0;
  /** +1, -1, or 0 before the day's first change of price. */
  #direction = 0;
  #twiceMid = Number.NaN;
  #spread = Number.NaN;

  /** The national best after a row. A crossed one leaves the midpoint where it was. */
  setQuote(bid: number, ask: number): void {
    if (bid === 0 || ask === 0 || bid > ask) return;
    this.#twiceMid = bid + ask;
    this.#spread = ask - bid;
  }

  place(ticks: number, bid: number, ask: number): void {
    this.trade.ticks = ticks;
    this.trade.place = placeOf(ticks, bid, ask);
    this.trade.tick = this.#tickOf(ticks);
    this.trade.twiceMid = this.#twiceMid;
    this.trade.spread = this.#spread;
  }

  #tickOf(ticks: number): number {
    const change = this.#lastTicks === 0 ? 0 : Math.sign(ticks - this.#lastTicks);
    this.#lastTicks = ticks;
    if (change !== 0) {
      this.#direction = change;
      return change > 0 ? TICK.up : TICK.down;
    }
    if (this.#direction === 0) return TICK.unknown;
    return this.#direction > 0 ? TICK.repeatUp : TICK.repeatDown;
  }
}

const { NaN: NONE } = Number;

/** The place of a trade's price against the national best just before it. */
export const PLACE = { bid: 0, bidMid: 1, mid: 2, midAsk: 3, ask: 4, crossOrLocked: 5 } as const;
const PLACE_COUNT = 6;
/** A trade before both sides of the day's first national best quote lies nowhere. */
export const NO_PLACE = -1;

/** A trade's price against the one before it. */
export const TICK = { up: 0, down: 1, repeatUp: 2, repeatDown: 3, unknown: 4 } as const;
const TICK_COUNT = 5;

/** A trade with all that the day's course gives it. */
export interface PlacedTrade {
  /** Ten-thousandths of a dollar. */
  ticks: number;
  shares: Quantity;
  conditions: number;
  isFinra: boolean;
  /** A sum of the use flags of `conditions.ts`. */
  use: number;
  /** A value of `PLACE`, or `NO_PLACE`. */
  place: number;
  /** A value of `TICK`. */
  tick: number;
  /** Bid + ask that its distance is measured from, in ten-thousandths; NaN where there is none. */
  twiceMid: number;
  /** Spread of the same quote in ten-thousandths. */
  spread: number;
}

/** Off-exchange prints whose fraction of a cent tells a retail buyer or seller. */
class RetailFlow {
  readonly buyShares = new QuantitySum();
  buyCount = 0;
  readonly sellShares = new QuantitySum();
  sellCount = 0;

  reset(): void {
    this.buyShares.reset();
    this.sellShares.reset();
    this.buyCount = this.sellCount = 0;
  }

  /** A buyer was given a price just under a whole cent, a seller one just over it. */
  add(ticks: number, shares: Quantity): void {
    const fraction = ticks % 100;
    if (fraction > 60) {
      this.buyShares.add(shares);
      this.buyCount += 1;
    } else if (fraction > 0 && fraction < 40) {
      this.sellShares.add(shares);
      this.sellCount += 1;
    }
  }
}

/** Distance of lit trades from the midpoint, weighted with their shares. */
class MidDistance {
  readonly #shares = new QuantitySum();
  readonly #distance = new QuantitySum();
  #relative = 0;

  reset(): void {
    this.#shares.reset();
    this.#distance.reset();
    this.#relative = 0;
  }

  add(trade: PlacedTrade): void {
    if (Number.isNaN(trade.twiceMid)) return;
    const distance = 2 * trade.ticks - trade.twiceMid;
    this.#shares.add(trade.shares);
    this.#distance.addProduct(distance, trade.shares);
    this.#relative += (Number(trade.shares) * distance) / (2 * Math.max(100, trade.spread));
  }

  /** Cents, five decimals. */
  get cents(): number {
    const shares = this.#shares.value;
    return shares === 0 ? NONE : roundRatio(this.#distance.value, 500, shares) / 1e5;
  }

  /** Spreads of at least a cent, five decimals. */
  get spreads(): number {
    const shares = Number(this.#shares.value);
    return shares === 0 ? NONE : roundDecimals(this.#relative / shares, 5);
  }
}

function sums(count: number): readonly QuantitySum[] {
  return Array.from({ length: count }, () => new QuantitySum());
}

export class TradeBar {
  readonly prices = new PriceBar();
  readonly lit = new Turnover();
  readonly finra = new Turnover();
  /** Excludes trades at a prior reference price. */
  readonly litCurrent = new Turnover();
  readonly finraCurrent = new Turnover();
  readonly placeShares = sums(PLACE_COUNT);
  readonly placeCounts = new Float64Array(PLACE_COUNT);
  readonly tickShares = sums(TICK_COUNT);
  readonly tickCounts = new Float64Array(TICK_COUNT);
  readonly midDistance = new MidDistance();
  readonly retail = new RetailFlow();
  litCount = 0;
  finraCount = 0;
  readonly oddLotShares = new QuantitySum();
  oddLotCount = 0;
  readonly cancelledShares = new QuantitySum();
  cancelledCount = 0;

  reset(): void {
    this.cancelledShares.reset();
    this.cancelledCount = 0;
    if (this.litCount + this.finraCount === 0) return;
    this.prices.reset();
    for (const turnover of [this.lit, this.finra, this.litCurrent, this.finraCurrent])
      turnover.reset();
    for (const sum of this.placeShares) sum.reset();
    for (const sum of this.tickShares) sum.reset();
    for (const counts of [this.placeCounts, this.tickCounts]) counts.fill(0);
    this.midDistance.reset();
    this.retail.reset();
    this.oddLotShares.reset();
    this.litCount = this.finraCount = this.oddLotCount = 0;
  }

  add(trade: PlacedTrade, nanos: number): void {
    const { ticks, shares, isFinra } = trade;
    this.prices.add(ticks, shares, nanos, trade.use);
    (isFinra ? this.finra : this.lit).add(ticks, shares);
    if ((trade.conditions & PRIOR_REFERENCE_PRICE) === 0)
      (isFinra ? this.finraCurrent : this.litCurrent).add(ticks, shares);
    if (trade.place !== NO_PLACE) {
      this.placeShares[trade.place]!.add(shares);
      this.placeCounts[trade.place]! += 1;
    }
    this.tickShares[trade.tick]!.add(shares);
    this.tickCounts[trade.tick]! += 1;
    if (isFinra) {
      this.finraCount += 1;
      this.retail.add(ticks, shares);
    } else {
      this.litCount += 1;
      this.midDistance.add(trade);
    }
    if ((trade.conditions & ODD_LOT) !== 0) {
      this.oddLotShares.add(shares);
      this.oddLotCount += 1;
    }
  }

  cancel(shares: Quantity): void {
    this.cancelledShares.add(shares);
    this.cancelledCount += 1;
  }
}
