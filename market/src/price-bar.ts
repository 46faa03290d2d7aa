/** First, highest, lowest and last price of a bar, each with its size and time. */
import { IS_ENDPOINT, IS_EXTREME, IS_SOLE_ENDPOINT } from './conditions.ts';
import type { Quantity } from './quantity.ts';

const { NaN: NONE } = Number;

/** Prices in the caller's unit, NaN without one; offsets are nanoseconds from the bar's start. */
export class PriceBar {
  firstPrice = NONE;
  firstSize: Quantity = NONE;
  firstNanos = NONE;
  highPrice = NONE;
  highSize: Quantity = NONE;
  highNanos = NONE;
  lowPrice = NONE;
  lowSize: Quantity = NONE;
  lowNanos = NONE;
  lastPrice = NONE;
  lastSize: Quantity = NONE;
  lastNanos = NONE;

  reset(): void {
    this.firstPrice = this.highPrice = this.lowPrice = this.lastPrice = NONE;
    this.firstSize = this.highSize = this.lowSize = this.lastSize = NONE;
    this.firstNanos = this.highNanos = this.lowNanos = this.lastNanos = NONE;
  }

  /** `use`: the use flags of `conditions.ts`. */
  add(price: number, size: Quantity, nanos: number, use: number): void {
    if ((use & IS_EXTREME) !== 0) this.#addExtreme(price, size, nanos);
    const isEndpoint =
      (use & IS_ENDPOINT) !== 0 ||
      ((use & IS_SOLE_ENDPOINT) !== 0 && Number.isNaN(this.firstPrice));
    if (!isEndpoint) return;
    if (Number.isNaN(this.firstPrice)) {
      this.firstPrice = price;
      this.firstSize = size;
      this.firstNanos = nanos;
    }
    this.lastPrice = price;
    this.lastSize = size;
    this.lastNanos = nanos;
  }

  #addExtreme(price: number, size: Quantity, nanos: number): void {
    if (!(price <= this.highPrice)) {
      this.highPrice = price;
      this.highSize = size;
      this.highNanos = nanos;
    }
    if (!(price >= this.lowPrice)) {
      this.lowPrice = price;
      this.lowSize = size;
      this.lowNanos = nanos;
    }
  }
}
