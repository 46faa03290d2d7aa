/**
 * The best quotes of several venues in one equity, and the feed rows that their changes make.
 * Prices are whole cents here; a venue whose side is empty stands at 0.
 */
import { quoteMask } from '@ticklake/market/conditions.ts';
import type { EquityEvent, EquityEventType } from '@ticklake/market/events.ts';

export type Side = 'bid' | 'ask';

export const QUOTE_REGULAR = quoteMask('Regular');
export const QUOTE_OPENING = quoteMask('Opening quote');
export const QUOTE_RESUME = quoteMask('Resume');
export const QUOTE_PAUSED = quoteMask('Volatility trading pause');
export const QUOTE_NEWS = quoteMask('News dissemination');

interface BookSide {
  readonly cents: Int32Array;
  readonly sizes: Int32Array;
  readonly type: EquityEventType;
  readonly bestType: EquityEventType;
  /** True if the first of two prices is the better one. */
  isBetter(a: number, b: number): boolean;
  best: number;
}

export class VenueBook {
  readonly venues: readonly string[];
  readonly #sides: Record<Side, BookSide>;
  readonly #emit: (event: EquityEvent) => void;

  constructor(venues: readonly string[], emit: (event: EquityEvent) => void) {
    const side = (
      type: EquityEventType,
      bestType: EquityEventType,
      isBetter: BookSide['isBetter'],
    ): BookSide => ({
      cents: new Int32Array(venues.length),
      sizes: new Int32Array(venues.length),
      type,
      bestType,
      isBetter,
      best: 0,
    });
    this.venues = venues;
    this.#sides = {
      bid: side('QUOTE BID', 'QUOTE BID NB', (a, b) => a > b),
      ask: side('QUOTE ASK', 'QUOTE ASK NB', (a, b) => a < b),
    };
    this.#emit = emit;
  }

  /** The national best price in cents; 0 while no venue quotes. */
  best(side: Side): number {
    return this.#sides[side].best;
  }

  centsOf(side: Side, venue: number): number {
    return this.#sides[side].cents[venue] as number;
  }

  /** A venue that stands at the national best price. */
  bestVenue(side: Side): number {
    const { cents, best } = this.#sides[side];
    return cents.indexOf(best);
  }

  /** A venue's new quote; 0 and 0 empties its side. */
  set(
    sideName: Side,
    venue: number,
    quote: { readonly cents: number; readonly size: number },
    nanosOfDay: number,
    conditions: number,
  ): void {
    const side = this.#sides[sideName];
    const bestBefore = side.best;
    side.cents[venue] = quote.cents;
    side.sizes[venue] = quote.size;
    side.best = bestOf(side);
    const isBest = quote.cents === side.best && quote.cents > 0;
    this.#row(side, venue, isBest, nanosOfDay, conditions);
    if (!isBest && side.best !== bestBefore && side.best > 0)
      this.#row(side, side.cents.indexOf(side.best), true, nanosOfDay, QUOTE_REGULAR);
  }

  #row(
    side: BookSide,
    venue: number,
    isBest: boolean,
    nanosOfDay: number,
    conditions: number,
  ): void {
    this.#emit({
      nanosOfDay,
      type: isBest ? side.bestType : side.type,
      price: (side.cents[venue] as number) / 100,
      quantity: side.sizes[venue] as number,
      exchange: this.venues[venue] as string,
      conditions,
    });
  }
}

function bestOf(side: BookSide): number {
  let best = 0;
  for (const cents of side.cents)
    if (cents > 0 && (best === 0 || side.isBetter(cents, best))) best = cents;
  return best;
}
