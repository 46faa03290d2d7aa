/** The national best quotes of one bar. Offsets are nanoseconds from the bar's start. */
import { FULL_USE } from './conditions.ts';
import { PriceBar } from './price-bar.ts';
import { plus, type Quantity } from './quantity.ts';
import { ProductSum } from './turnover.ts';

/**
 * One side of the national best quote. Rows marked as national best set its price; its size is the
 * sum over all venues that stand at that price, kept from every venue's latest row.
 */
export class NationalBest {
  /** Ten-thousandths of a dollar; 0 before the first national best row. */
  ticks = 0;
  /** Shares. */
  size: Quantity = 0;
  readonly #venueIndex = new Map<string, number>();
  readonly #venueTicks: number[] = [];
  readonly #venueSizes: Quantity[] = [];

  /** A venue's new top quote; `ticks` 0 where it shows none. */
  update(venue: string, ticks: number, size: Quantity, isNationalBest: boolean): void {
    let index = this.#venueIndex.get(venue);
    if (index === undefined) {
      index = this.#venueTicks.length;
      this.#venueIndex.set(venue, index);
    }
    const former = this.#venueTicks[index];
    this.#venueTicks[index] = ticks;
    this.#venueSizes[index] = size;
    if (isNationalBest) this.ticks = ticks;
    if (isNationalBest || former === this.ticks || ticks === this.ticks) this.#sumSize();
  }

  /** The size stays while no venue is left at the best: the row that names the next is to come. */
  #sumSize(): void {
    let size: Quantity = 0;
    for (let i = 0; i < this.#venueTicks.length; i++)
      if (this.#venueTicks[i] === this.ticks) size = plus(size, this.#venueSizes[i] as Quantity);
    if (size > 0 && this.ticks > 0) this.size = size;
  }
}

/** Dollars with five decimals of ten-thousandths. */
const WEIGHT_SCALE = 10;

/** A value of whole ten-thousandths that stands until it changes, weighted with its time. */
class StandingValue {
  #sum = new ProductSum();
  #value = Number.NaN;
  #sinceNanos = 0;
  #stoodNanos = 0;
  #isConstant = true;

  /** NaN: nothing stands. */
  reset(value: number): void {
    this.#sum.reset();
    this.#value = value;
    this.#sinceNanos = 0;
    this.#stoodNanos = 0;
    this.#isConstant = true;
  }

  set(value: number, nanos: number): void {
    if (value === this.#value) return;
    this.#stand(nanos);
    if (this.#stoodNanos > 0) this.#isConstant = false;
    this.#value = value;
  }

  #stand(nanos: number): void {
    const stood = nanos - this.#sinceNanos;
    this.#sinceNanos = nanos;
    if (stood === 0 || Number.isNaN(this.#value)) return;
    this.#sum.add(this.#value, stood);
    this.#stoodNanos += stood;
  }

  /** Hundred-thousandths of a dollar, averaged over the time that a value stood; NaN: none did. */
  average(endNanos: number): number {
    this.#stand(endNanos);
    if (this.#stoodNanos === 0) return Number.NaN;
    if (this.#isConstant) return this.#value * WEIGHT_SCALE;
    return this.#sum.roundedRatio(WEIGHT_SCALE, this.#stoodNanos);
  }
}

/** One side of the quote in one bar; prices in ten-thousandths. */
class QuoteSideBar {
  /** Begins with the carried quote; without one, with the bar's first. */
  readonly prices = new PriceBar();
  readonly weight = new StandingValue();
  #isCarried = false;

  /** Starts a bar with the quote that stands. */
  reset(best: NationalBest): void {
    this.#isCarried = best.ticks > 0;
    this.prices.reset();
    this.weight.reset(this.#isCarried ? best.ticks : Number.NaN);
    if (this.#isCarried) this.prices.add(best.ticks, best.size, 0, FULL_USE);
  }

  /** The quote after a row. */
  update(ticks: number, size: Quantity, nanos: number): void {
    this.weight.set(ticks, nanos);
    this.prices.add(ticks, size, nanos, FULL_USE);
  }

  get openPrice(): number {
    return this.#isCarried ? this.prices.firstPrice : Number.NaN;
  }

  get openSize(): Quantity {
    return this.#isCarried ? this.prices.firstSize : Number.NaN;
  }
}

/** Both sides, their spread and the number of rows. */
export class QuoteBar {
  readonly bid = new QuoteSideBar();
  readonly ask = new QuoteSideBar();
  readonly spreadWeight = new StandingValue();
  minSpread = Number.NaN;
  maxSpread = Number.NaN;
  nationalBestCount = 0;
  bidCount = 0;
  askCount = 0;

  reset(bid: NationalBest, ask: NationalBest): void {
    this.bid.reset(bid);
    this.ask.reset(ask);
    this.minSpread = this.maxSpread = Number.NaN;
    this.nationalBestCount = this.bidCount = this.askCount = 0;
    this.spreadWeight.reset(this.#spread);
    this.#takeSpread(this.#spread);
  }

  get #spread(): number {
    return this.ask.prices.lastPrice - this.bid.prices.lastPrice;
  }

  /** The spread after a row that set the national best. */
  updateSpread(nanos: number): void {
    this.spreadWeight.set(this.#spread, nanos);
    this.#takeSpread(this.#spread);
  }

  /** Locked and crossed moments give no spread; a bar that has no other moments shows 0. */
  #takeSpread(spread: number): void {
    if (Number.isNaN(spread)) return;
    if (spread <= 0) {
      if (Number.isNaN(this.minSpread)) this.minSpread = this.maxSpread = 0;
      return;
    }
    if (!(spread >= this.minSpread) || this.minSpread === 0) this.minSpread = spread;
    if (!(spread <= this.maxSpread)) this.maxSpread = spread;
  }
}
