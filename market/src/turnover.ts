import { roundRatio } from './rounding.ts';

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
    const numerator = total * BigInt(scale);
    const divisor = BigInt(denominator);
    const low = numerator / divisor;
    const rest = numerator % divisor;
    const twice = 2n * (rest < 0n ? -rest : rest);
    const isUp = twice > divisor || (twice === divisor && low % 2n !== 0n);
    return Number(isUp ? low + (rest < 0n ? -1n : 1n) : low);
  }
}

/** Shares and their worth in ten-thousandths of a dollar: whole numbers, exact below 2^53. */
export class Turnover {
  shares = 0;
  worth = 0;

  reset(): void {
    this.shares = this.worth = 0;
  }

  add(ticks: number, shares: number): void {
    this.shares += shares;
    this.worth += ticks * shares;
  }
}

/** Average price of several turnovers in dollars, six decimals; NaN without shares. */
export function averagePrice(...turnovers: readonly Turnover[]): number {
  let shares = 0;
  let worth = 0;
  for (const turnover of turnovers) {
    shares += turnover.shares;
    worth += turnover.worth;
  }
  return shares === 0 ? Number.NaN : roundRatio(worth, 100, shares) / 1e6;
}
