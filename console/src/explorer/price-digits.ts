/** With how many digits after the point prices are told. */

const DIGITS_MIN = 2;
const DIGITS_MAX = 6;
/** Trades between the steps of a market's prices are few, and a scale need not show theirs. */
const SHARE_ON_SCALE = 0.75;

/** What computing has left behind the last digit of a price is none of it. */
function digitsOf(price: number): number {
  return String(Number(price.toFixed(DIGITS_MAX))).split('.')[1]?.length ?? 0;
}

/** Those of a scale: as many as three in four prices need, at least two. */
export function scaleDigits(prices: readonly number[]): number {
  const digits = prices.map(digitsOf).sort((a, b) => a - b);
  const needed = digits[Math.ceil(digits.length * SHARE_ON_SCALE) - 1] ?? DIGITS_MIN;
  return Math.max(DIGITS_MIN, needed);
}

/** A price as it is: with the digits of its scale, and with more where it has more. */
export function priceText(price: number, digits = DIGITS_MIN): string {
  return price.toFixed(Math.max(digits, digitsOf(price)));
}
