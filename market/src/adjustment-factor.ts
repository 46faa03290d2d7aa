/** The factor of one corporate event: what prices before its effective date are multiplied by. */

const SIGNIFICANT_DIGITS = 15;

function significant(factor: number): number {
  return Number(factor.toPrecision(SIGNIFICANT_DIGITS));
}

/** Dividend per share against the raw close of the trading day before, both in dollars. */
export function cashDividendFactor(dividend: number, priorClose: number): number {
  return significant(1 - dividend / priorClose);
}

/** `newShares` given for each `heldShares`, which are kept: bonus or stock dividend. */
export function bonusFactor(newShares: number, heldShares: number): number {
  return significant(heldShares / (heldShares + newShares));
}

/** `newShares` in place of `oldShares`: 4 for 1 gives 0.25, a consolidation of 1 for 5 gives 5. */
export function exchangeFactor(newShares: number, oldShares: number): number {
  return significant(oldShares / newShares);
}

/** `childShares` of the spun-off company for each `parentShares`. */
export function demergerFactor(
  childPrice: number,
  childShares: number,
  parentShares: number,
  priorClose: number,
): number {
  return significant(1 - (childPrice * childShares) / parentShares / priorClose);
}

/** `newShares` offered at `offerPrice` for each `heldShares`. */
export function rightsFactor(
  newShares: number,
  heldShares: number,
  offerPrice: number,
  priorClose: number,
): number {
  const value = heldShares * priorClose + newShares * offerPrice;
  return significant(value / ((heldShares + newShares) * priorClose));
}
