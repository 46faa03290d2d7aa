/** Where each trade of a day lies: against the national best, and against the trade before it. */
import { NO_PLACE, PLACE, type PlacedTrade, TICK } from './trade-bar.ts';

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
