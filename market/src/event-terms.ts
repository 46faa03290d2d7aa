/** The adjustment factor of a corporate event by its terms, where these determine it. */
import { bonusFactor, cashDividendFactor, exchangeFactor } from './adjustment-factor.ts';

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

/** Of other reasons, the terms leave out what was given: the price of another security, or of an offer. */
const FACTOR_RULES: ReadonlyMap<string, FactorRule> = new Map([
  ['CashDiv', byPriorClose],
  ['BonusSame', byRatio(bonusFactor)],
  ['ScriptDiv', byRatio(bonusFactor)],
  ['Subdiv', byRatio(exchangeFactor)],
  ['Cons', byRatio(exchangeFactor)],
  ['CapReduct', byRatio(exchangeFactor)],
  ['Reclass', byRatio(exchangeFactor)],
]);

/** Of the step that a dividend makes: closes of one day differ between sources. */
const DIVIDEND_TOLERANCE = 0.01;
/** Of a factor by shares, which is published with six digits or more. */
const RATIO_TOLERANCE = 1e-5;

/** Whether the factor comes from the close before the event. */
export function needsPriorClose({ reason, dividend }: Pick<EventTerms, 'reason' | 'dividend'>) {
  return FACTOR_RULES.get(reason) === byPriorClose && dividend !== null;
}

/** Null where the terms that are known do not determine it. */
export function factorOfTerms(terms: EventTerms): number | null {
  const factor = FACTOR_RULES.get(terms.reason)?.(terms) ?? null;
  return factor !== null && Number.isFinite(factor) && factor > 0 ? factor : null;
}

/** Whether a stated factor can be that of the same event as the one by its terms. */
export function agrees(stated: number, byTerms: number, reason: string): boolean {
  const isByClose = FACTOR_RULES.get(reason) === byPriorClose;
  const tolerance = isByClose ? DIVIDEND_TOLERANCE * (1 - byTerms) : RATIO_TOLERANCE * byTerms;
  return Math.abs(stated - byTerms) <= tolerance;
}
