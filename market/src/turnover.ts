import { plus, type Quantity, QuantitySum } from './quantity.ts';
import { divideToEven, roundRatio } from './rounding.ts';

const LOW_UNIT = 1_000_000;
const CARRY_AT = 1e15;

/**
 * The sum of products of whole numbers beyond 2^53, exact: nanoseconds are split at a million so
 * that both partial sums stay whole doubles.
 */
export class ProductSum {
  #high = 0;
  #low = 0;

  reset(): void {
    this.#high = 0;
    this.#low = 0;
  }

  /** `value` below 9 x 10^9 (ten-thousandths of a dollar), `nanos` below a day. */
  add(value: number, nanos: number): void {
    const low = nanos % LOW_UNIT;
    this.#high += value * ((nanos - low) / LOW_UNIT);
    this.#low += value * low;
    if (Math.abs(this.#low) < CARRY_AT) return;
    const carry = Math.trunc(this.#low / LOW_UNIT);
    this.#high += carry;
    this.#low -= carry * LOW_UNIT;
  }

  /** The sum times `scale` over `denominator` (positive) to the nearest whole number, ties even. */
  roundedRatio(scale: number, denominator: number): number {
    const total = BigInt(this.#high) * BigInt(LOW_UNIT) + BigInt(this.#low);
    return Number(divideToEven(total * BigInt(scale), BigInt(denominator)));
  }
}

/** Shares and their worth: ten-thousandths of a dollar for each unit of a share. */
export class Turnover {
  readonly #shares = new QuantitySum();
  readonly #worth = new QuantitySum();

  reset(): void {
    this.#shares.reset();
    this.#worth.reset();
  }

  add(ticks: number, shares: Quantity): void {
    this.#shares.add(shares);
    this.#worth.addProduct(ticks, shares);
  }

  get shares(): Quantity {
    return this.#shares.value;
  }

  get worth(): Quantity {
    return this.#worth.value;
  }
}

/** Average price of several turnovers in dollars, six decimals; NaN without shares. */
export function averagePrice(...turnovers: readonly Turnover[]): number {
  let shares: Quantity = 0;
  let worth: Quantity = 0;
  for (const turnover of turnovers) {
    shares = plus(shares, turnover.shares);
    worth = plus(worth, turnover.worth);
  }
  return shares === 0 ? Number.NaN : roundRatio(worth, 100, shares) / 1e6;
}
