/** Values, sensitivities and implied volatilities of options of either exercise style. */
import { europeanOption, type ValueAndSlopes } from './black-scholes.ts';
import { earlyExercise, mayGainByExercise } from './early-exercise.ts';
import type { OptionTerms } from './option-terms.ts';

function valueAndSlopes(terms: OptionTerms, volatility: number): ValueAndSlopes {
  const european = europeanOption(terms, volatility);
  if (!terms.isAmerican || !mayGainByExercise(terms)) return european;
  const premium = earlyExercise(terms, volatility);
  const exercise = valueAtExpiry(terms);
  const side = terms.isCall ? 1 : -1;
  if (premium === null || european.value + premium.value <= exercise)
    return { value: exercise, delta: side, gamma: 0 };
  return {
    value: Math.min(mostValue(terms), european.value + premium.value),
    delta: side * Math.min(1, side * (european.delta + premium.delta)),
    gamma: european.gamma + premium.gamma,
  };
}

function valueAtExpiry({ isCall, spot, strike }: OptionTerms): number {
  return Math.max(0, isCall ? spot - strike : strike - spot);
}

/** Dollars per share; `volatility` a year, above 0. */
export function optionValue(terms: OptionTerms, volatility: number): number {
  return valueAndSlopes(terms, volatility).value;
}

export interface OptionMeasures extends ValueAndSlopes {
  /** Change of the value, in dollars, as one calendar day passes; of the last day, until expiry. */
  readonly theta: number;
  /** Dollars for one point (0.01) of volatility. */
  readonly vega: number;
  /** Dollars for one point (0.01) of rate. */
  readonly rho: number;
}

const DAYS_PER_YEAR = 365;
/** Half a second: less is the error of subtracting. */
const SHORTEST_YEARS = 1 / (DAYS_PER_YEAR * 2 * 86_400);
const POINT = 0.01;

export function optionMeasures(terms: OptionTerms, volatility: number): OptionMeasures {
  const present = valueAndSlopes(terms, volatility);
  const value = (change: Partial<OptionTerms>) => optionValue({ ...terms, ...change }, volatility);
  const left = terms.years - 1 / DAYS_PER_YEAR;
  const vol = Math.min(POINT, volatility) / 2;
  const rate = POINT / 2;
  const wider = optionValue(terms, volatility + vol) - optionValue(terms, volatility - vol);
  const later = left > SHORTEST_YEARS ? value({ years: left }) : valueAtExpiry(terms);
  const dearer = value({ rate: terms.rate + rate }) - value({ rate: terms.rate - rate });
  return {
    ...present,
    theta: later - present.value,
    vega: (wider * POINT) / (2 * vol),
    rho: (dearer * POINT) / (2 * rate),
  };
}

const VOLATILITY_MIN = 0.0001;
const VOLATILITY_MAX = 20;
const FIRST_GUESS = 0.3;
const FIRST_STEP = 1.02;
const PRICE_TOLERANCE = 1e-8;
const VOLATILITY_TOLERANCE = 1e-9;
/** How far the model may miss the price where it jumps past it: half of what readers count on. */
const JUMP_MAX = 5e-5;
/** After these, every other step halves the bounds, so that the search always ends. */
const SECANT_ROUNDS = 8;
const ROUNDS_MAX = 120;

export const CONVERGED = 'Converged';

export type ImpliedVolatility =
  | { readonly volatility: number; readonly outcome: typeof CONVERGED }
  | {
      readonly volatility: null;
      readonly outcome: 'No time value' | 'Price above bound' | 'Not solved';
    };

/** Root of a function that grows with volatility: secants within known bounds. Null: none. */
function solveVolatility(errorAt: (volatility: number) => number, guess: number): number | null {
  let low = VOLATILITY_MIN;
  let high = VOLATILITY_MAX;
  let volatility = guess;
  let former = { volatility: Number.NaN, error: Number.NaN };
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const error = errorAt(volatility);
    if (Math.abs(error) < PRICE_TOLERANCE) return volatility;
    if (error < 0) low = volatility;
    else high = volatility;
    if (high - low < VOLATILITY_TOLERANCE) return Math.abs(error) < JUMP_MAX ? volatility : null;
    const slope = (error - former.error) / (volatility - former.volatility);
    const secant = volatility - error / slope;
    const isHalving = round > SECANT_ROUNDS && round % 2 === 0;
    const isInside = secant > low && secant < high;
    former = { volatility, error };
    if (round === 0) volatility *= error < 0 ? FIRST_STEP : 1 / FIRST_STEP;
    else volatility = isInside && !isHalving ? secant : Math.sqrt(low * high);
  }
  return null;
}

/** The least that an option is worth at any volatility: exercise at expiry, or now. */
function leastValue(terms: OptionTerms): number {
  const { isCall, isAmerican, spot, strike, years, rate, dividendYield } = terms;
  const side = isCall ? 1 : -1;
  const atExpiry = spot * Math.exp(-dividendYield * years) - strike * Math.exp(-rate * years);
  return Math.max(0, side * atExpiry, isAmerican ? side * (spot - strike) : 0);
}

/** More than an option is worth at any volatility. */
function mostValue({ isCall, isAmerican, spot, strike, years, rate, dividendYield }: OptionTerms) {
  const wait = isAmerican ? 0 : years;
  return isCall ? spot * Math.exp(-dividendYield * wait) : strike * Math.exp(-rate * wait);
}

/** The volatility at which the model gives `price`. */
export function impliedVolatility(terms: OptionTerms, price: number): ImpliedVolatility {
  if (price <= leastValue(terms) + PRICE_TOLERANCE)
    return { volatility: null, outcome: 'No time value' };
  if (price >= mostValue(terms)) return { volatility: null, outcome: 'Price above bound' };
  const european = solveVolatility(
    (volatility) => europeanOption(terms, volatility).value - price,
    FIRST_GUESS,
  );
  const volatility = terms.isAmerican
    ? solveVolatility((vol) => optionValue(terms, vol) - price, european ?? FIRST_GUESS)
    : european;
  return volatility === null
    ? { volatility, outcome: 'Not solved' }
    : { volatility, outcome: CONVERGED };
}
