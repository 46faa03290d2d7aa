/**
 * Prices as whole ten-thousandths of a dollar, and the one rounding of all computed values: to the
 * nearest decimal, ties to the even digit.
 */
import type { Quantity } from './quantity.ts';

const TEN_THOUSAND = 10_000;
/** Up to twice as much is exact. */
const EXACT_MAX = 2 ** 52;
/** Relative size of binary noise around a tie such as 1.0009 x 0.5. */
const TIE_NOISE = 1e-14;

/** Whole ten-thousandths of a dollar. */
export function ticksOfPrice(price: number): number {
  return Math.round(price * TEN_THOUSAND);
}

/** Dollars; the double nearest to that decimal. NaN stays NaN. */
export function priceOfTicks(ticks: number): number {
  return ticks / TEN_THOUSAND;
}

/** `value` with `decimals` digits after the point, ties to the even digit. NaN stays NaN. */
export function roundDecimals(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  const scaled = value * scale;
  const floor = Math.floor(scaled);
  const fraction = scaled - floor;
  const isTie = Math.abs(fraction - 0.5) <= Math.abs(scaled) * TIE_NOISE;
  const isUp = isTie ? floor % 2 !== 0 : fraction > 0.5;
  return (isUp ? floor + 1 : floor) / scale;
}

/** The nearest whole number, ties to even; `denominator` is positive. */
export function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const rest = ((numerator % denominator) + denominator) % denominator;
  const floor = (numerator - rest) / denominator;
  const twice = 2n * rest;
  if (twice < denominator || (twice === denominator && floor % 2n === 0n)) return floor;
  return floor + 1n;
}

/**
 * `numerator * scale / denominator` as the nearest whole number, ties to even. Exact for whole
 * numbers, with `denominator` positive.
 */
export function roundRatio(numerator: Quantity, scale: number, denominator: Quantity): number {
  if (typeof numerator === 'bigint' || !(denominator <= EXACT_MAX / scale))
    return Number(divideToEven(BigInt(numerator) * BigInt(scale), BigInt(denominator)));
  return roundSafeRatio(numerator, scale, Number(denominator));
}

/** For a safe `numerator`, and a `denominator * scale` of `EXACT_MAX` at most. */
function roundSafeRatio(numerator: number, scale: number, denominator: number): number {
  const rest = numerator % denominator;
  const whole = (numerator - rest) / denominator;
  const scaledRest = rest * scale;
  const fraction = scaledRest % denominator;
  const low = whole * scale + (scaledRest - fraction) / denominator;
  const twice = 2 * Math.abs(fraction);
  if (twice < denominator || (twice === denominator && low % 2 === 0)) return low;
  return low + Math.sign(fraction);
}
