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

/** Shares in the ratio of an event: 4 new for 1 old in a four-for-one split. */
export interface ShareRatio {
  readonly newShares: number;
  readonly oldShares: number;
}

/** Null: not known. */
export interface EventTerms {
  readonly reason: string;
  /** Dollars per share. */
  readonly dividend: number | null;
  readonly ratio: ShareRatio | null;
  /** Dollars per share at the last close before the effective date. */
  readonly priorClose: number | null;
}

type FactorRule = (terms: EventTerms) => number | null;

const byRatio =
  (factor: (newShares: number, oldShares: number) => number): FactorRule =>
  ({ ratio }) =>
    ratio && factor(ratio.newShares, ratio.oldShares);

const byPriorClose: FactorRule = ({ dividend, priorClose }) =>
  dividend === null || priorClose === null ? null : cashDividendFactor(dividend, priorClose);

/** Other reasons depend on prices that the terms do not have. */
const FACTOR_RULES: ReadonlyMap<string, FactorRule> = new Map([
  ['CashDiv', byPriorClose],
  ['BonusSame', byRatio(bonusFactor)],
  ['ScriptDiv', byRatio(bonusFactor)],
  ['Subdiv', byRatio(exchangeFactor)],
  ['Cons', byRatio(exchangeFactor)],
  ['CapReduct', byRatio(exchangeFactor)],
  ['Reclass', byRatio(exchangeFactor)],
]);

/** Tolerance for dividends: closes of one day differ between sources. */
const DIVIDEND_TOLERANCE = 0.01;
/** Tolerance for ratios of shares, which are published with six digits or more. */
const RATIO_TOLERANCE = 1e-5;

/** True if the factor comes from the close before the event. */
export function needsPriorClose({ reason, dividend }: Pick<EventTerms, 'reason' | 'dividend'>) {
  return FACTOR_RULES.get(reason) === byPriorClose && dividend !== null;
}

/** Null where the terms that are known do not determine it. */
export function factorOfTerms(terms: EventTerms): number | null {
  const factor = FACTOR_RULES.get(terms.reason)?.(terms) ?? null;
  return factor !== null && Number.isFinite(factor) && factor > 0 ? factor : null;
}

/** True if a stated factor agrees with the one by the terms. */
export function agrees(stated: number, byTerms: number, reason: string): boolean {
  const isByClose = FACTOR_RULES.get(reason) === byPriorClose;
  const tolerance = isByClose ? DIVIDEND_TOLERANCE * (1 - byTerms) : RATIO_TOLERANCE * byTerms;
  return Math.abs(stated - byTerms) <= tolerance;
}
