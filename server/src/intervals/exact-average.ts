/** Weighted averages of numbers, exact before they are rounded. */

import { AVERAGE_DECIMALS_MAX } from '../catalog/interval.ts';

const VALUE_DECIMALS = AVERAGE_DECIMALS_MAX;
const VALUE_SCALE = 10 ** VALUE_DECIMALS;

/** To the nearest whole number, ties to the even one; `denominator` is positive. */
function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const rest = ((numerator % denominator) + denominator) % denominator;
  const floor = (numerator - rest) / denominator;
  const twice = 2n * rest;
  if (twice < denominator || (twice === denominator && floor % 2n === 0n)) return floor;
  return floor + 1n;
}

export class ExactAverage {
  /** Sum of value times weight, in units of the last of `VALUE_DECIMALS`: what fits into a double, and the rest. */
  #nearWorth = 0;
  #farWorth = 0n;
  /** Sum of the weights, likewise. */
  #nearWeight = 0;
  #farWeight = 0n;

  /** `value` is finite; a `weight` that is no safe integer comes as a bigint. */
  add(value: number, weight: number | bigint): void {
    const units = Math.round(value * VALUE_SCALE);
    const nearWeight = Number(weight);
    const weightSum = this.#nearWeight + nearWeight;
    const worth = units * nearWeight;
    const worthSum = this.#nearWorth + worth;
    // Below 2^53, products and sums of whole numbers are exact; none that is rounded is below.
    if (Number.isSafeInteger(nearWeight) && Number.isSafeInteger(weightSum)) {
      this.#nearWeight = weightSum;
    } else {
      this.#farWeight += BigInt(weight);
    }
    if (Number.isSafeInteger(worth) && Number.isSafeInteger(worthSum)) this.#nearWorth = worthSum;
    else this.#farWorth += BigInt(units) * BigInt(weight);
  }

  /** To so many decimals, ties to the even digit; null: nothing has a weight. */
  value(decimals: number): number | null {
    const weight = this.#farWeight + BigInt(this.#nearWeight);
    if (weight <= 0n) return null;
    const worth = this.#farWorth + BigInt(this.#nearWorth);
    const unitsPerResultUnit = BigInt(10 ** (VALUE_DECIMALS - decimals));
    return Number(divideToEven(worth, weight * unitsPerResultUnit)) / 10 ** decimals;
  }
}
