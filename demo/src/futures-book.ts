/** The ten best price levels of a futures contract, in whole ticks. */
import type { Random } from './random.ts';

export const BOOK_LEVELS = 10;

export interface BookSide {
  /** Best price in ticks; the levels below it lie one tick apart. */
  best: number;
  readonly sizes: Int32Array;
  readonly orders: Int32Array;
}

export type BookSideName = 'bid' | 'ask';

export class FuturesBook {
  readonly bid: BookSide = emptySide();
  readonly ask: BookSide = emptySide();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Price in ticks of a level, 0 being the best. */
  ticksOf(name: BookSideName, level: number): number {
    return name === 'bid' ? this.bid.best - level : this.ask.best + level;
  }

  /** Moves a side to a new best price; levels that it had before keep their orders. */
  moveTo(name: BookSideName, best: number): void {
    const side = this[name];
    const shift = name === 'bid' ? best - side.best : side.best - best;
    const sizes = side.sizes.slice();
    const orders = side.orders.slice();
    side.best = best;
    for (let level = 0; level < BOOK_LEVELS; level++) {
      const former = level - shift;
      if (former >= 0 && former < BOOK_LEVELS && (sizes[former] as number) > 0) {
        side.sizes[level] = sizes[former] as number;
        side.orders[level] = orders[former] as number;
      } else this.redraw(name, level);
    }
  }

  /** Draws a level's orders anew. */
  redraw(name: BookSideName, level: number): void {
    const side = this[name];
    const orders = 1 + this.#random.poisson(2 + Math.min(level, 4));
    side.orders[level] = orders;
    side.sizes[level] = orders + this.#random.poisson(orders * 1.5);
  }

  /** Takes contracts from the best level, which keeps at least one. */
  take(name: BookSideName, quantity: number): void {
    const side = this[name];
    side.sizes[0] = Math.max(1, (side.sizes[0] as number) - quantity);
    side.orders[0] = Math.max(1, Math.min(side.orders[0] as number, side.sizes[0] as number));
  }
}

function emptySide(): BookSide {
  return { best: 0, sizes: new Int32Array(BOOK_LEVELS), orders: new Int32Array(BOOK_LEVELS) };
}
