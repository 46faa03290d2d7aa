/** What one bar keeps of the national best quote. Offsets are nanoseconds from the bar's start. */
import type { NationalBest } from './national-best.ts';
import { ProductSum } from './product-sum.ts';

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

/** One side of the quote in one bar. Prices are ten-thousandths; NaN before the first quote. */
export class QuoteSideBar {
  openTicks = Number.NaN;
  openSize = Number.NaN;
  /** The carried quote, or else the bar's first. */
  firstTicks = Number.NaN;
  firstSize = Number.NaN;
  highTicks = Number.NaN;
  highSize = Number.NaN;
  highNanos = Number.NaN;
  lowTicks = Number.NaN;
  lowSize = Number.NaN;
  lowNanos = Number.NaN;
  closeTicks = Number.NaN;
  closeSize = Number.NaN;
  readonly weight = new StandingValue();

  /** Starts a bar with the quote that stands. */
  reset(best: NationalBest): void {
    const ticks = best.ticks > 0 ? best.ticks : Number.NaN;
    const size = best.ticks > 0 ? best.size : Number.NaN;
    const nanos = best.ticks > 0 ? 0 : Number.NaN;
    this.openTicks = this.firstTicks = this.highTicks = this.lowTicks = this.closeTicks = ticks;
    this.openSize = this.firstSize = this.highSize = this.lowSize = this.closeSize = size;
    this.highNanos = this.lowNanos = nanos;
    this.weight.reset(ticks);
  }

  /** The quote after a row. */
  update(ticks: number, size: number, nanos: number): void {
    this.closeTicks = ticks;
    this.closeSize = size;
    this.weight.set(ticks, nanos);
    if (Number.isNaN(this.firstTicks)) {
      this.firstTicks = ticks;
      this.firstSize = size;
    }
    if (!(ticks <= this.highTicks)) {
      this.highTicks = ticks;
      this.highSize = size;
      this.highNanos = nanos;
    }
    if (!(ticks >= this.lowTicks)) {
      this.lowTicks = ticks;
      this.lowSize = size;
      this.lowNanos = nanos;
    }
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
    this.spreadWeight.reset(this.ask.closeTicks - this.bid.closeTicks);
    this.#takeSpread(this.ask.closeTicks - this.bid.closeTicks);
  }

  /** The spread after a row that set the national best. */
  updateSpread(nanos: number): void {
    const spread = this.ask.closeTicks - this.bid.closeTicks;
    this.spreadWeight.set(spread, nanos);
    this.#takeSpread(spread);
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
