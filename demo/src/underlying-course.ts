/** The national best quotes and the last trade of an equity at any moment of a day. */
import type { EquityEvent } from '@ticklake/market/events.ts';
import { NationalBest } from '@ticklake/market/quote-bar.ts';
import { priceOfTicks, ticksOfPrice } from '@ticklake/market/rounding.ts';

export interface Standing {
  readonly price: number;
  readonly size: number;
  readonly nanosOfDay: number;
}

export interface UnderlyingMoment {
  readonly nanosOfDay: number;
  readonly bid: Standing;
  readonly ask: Standing;
  /** Null before the day's first trade. */
  readonly lastTrade: Standing | null;
}

/** The moments at which something changed, from the first with both quotes on. */
export class UnderlyingCourse {
  readonly #moments: UnderlyingMoment[] = [];

  constructor(events: readonly EquityEvent[]) {
    const sides = { bid: new NationalBest(), ask: new NationalBest() };
    const standing: { bid: Standing | null; ask: Standing | null } = { bid: null, ask: null };
    let lastTrade: Standing | null = null;
    for (const { type, price, quantity, exchange, nanosOfDay } of events) {
      if (type === 'TRADE' || type === 'TRADE NB') {
        lastTrade = { price, size: Number(quantity), nanosOfDay };
      } else if (type.startsWith('QUOTE')) {
        const side = type.startsWith('QUOTE BID') ? 'bid' : 'ask';
        const best = sides[side];
        best.update(exchange, ticksOfPrice(price), quantity, type.endsWith('NB'));
        if (best.ticks > 0)
          standing[side] = { price: priceOfTicks(best.ticks), size: Number(best.size), nanosOfDay };
      }
      const { bid, ask } = standing;
      if (bid && ask) this.#moments.push({ nanosOfDay, bid, ask, lastTrade });
    }
  }

  /** The latest moment not after the given one, or the first of the day. */
  at(nanosOfDay: number): UnderlyingMoment {
    let low = 0;
    let high = this.#moments.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#moments[middle] as UnderlyingMoment).nanosOfDay <= nanosOfDay) low = middle;
      else high = middle;
    }
    return this.#moments[low] as UnderlyingMoment;
  }
}
