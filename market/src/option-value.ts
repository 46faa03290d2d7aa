/** Values, sensitivities and implied volatilities of options of either exercise style. */
import {
  europeanOption,
  normalDensity,
  normalDistribution,
  type OptionTerms,
  type ValueAndSlopes,
} from './black-scholes.ts';

/** A quadrature of Gauss and Legendre. */
interface Quadrature {
  /** Between 0 and 1. */
  readonly places: readonly number[];
  /** Weights that sum to 1. */
  readonly weights: readonly number[];
}

/** Enough for roots to the last digit. */
const NEWTON_ROUNDS = 8;

/** A root of the Legendre polynomial of that degree near a guess, and the slope there. */
function legendreRoot(degree: number, guess: number): { root: number; slope: number } {
  let root = guess;
  let slope = 0;
  for (let round = 0; round < NEWTON_ROUNDS; round++) {
    let [before, value] = [1, root];
    for (let n = 2; n <= degree; n++)
      [before, value] = [value, ((2 * n - 1) * root * value - (n - 1) * before) / n];
    slope = (degree * (root * value - before)) / (root ** 2 - 1);
    root -= value / slope;
  }
  return { root, slope };
}

function gaussLegendre(count: number): Quadrature {
  const roots = Array.from({ length: count }, (_, i) =>
    legendreRoot(count, Math.cos((Math.PI * (i + 0.75)) / (count + 0.5))),
  );
  return {
    places: roots.map(({ root }) => (1 + root) / 2),
    weights: roots.map(({ root, slope }) => 1 / ((1 - root ** 2) * slope ** 2)),
  };
}

/** Times at which exercise prices are sought, besides expiry, where they are known. */
/*
 * The value of the right to exercise early: an integral over time of what exercise gains, once the
 * underlying is at the exercise price (Kim, 1990). That price solves an integral equation, here at
 * Chebyshev nodes of the square root of time (Andersen, Lake and Offengenden, "High performance
 * American option pricing", 2016).
 */

const NODES = 10;
const BOUNDARY_POINTS = 20;
const VALUE_POINTS = 32;
const BOUNDARY_ROUNDS_MAX = 24;
/** The value errs by far less: it is greatest for the right exercise prices. */
const LOG_TOLERANCE = 1e-5;
/** Keeps steps that turn back and forth from growing. */
const STEEPEST_SLOPE = -3;

/** Roots of the nodes' shares of the time to expiry. */
const NODE_PLACES = Array.from(
  { length: NODES + 1 },
  (_, node) => (1 - Math.cos((Math.PI * node) / NODES)) / 2,
);

/** How much the value at each node counts at a place (barycentric interpolation). */
function nodeShares(place: number): Float64Array {
  const exact = NODE_PLACES.indexOf(place);
  const terms = NODE_PLACES.map((node, i) => {
    const weight = i === 0 || i === NODES ? 0.5 : 1;
    return ((i % 2 === 0 ? 1 : -1) * weight) / (place - node);
  });
  const sum = terms.reduce((a, b) => a + b);
  return Float64Array.from(terms, (term, i) => (exact === -1 ? term / sum : Number(exact === i)));
}

/**
 * Points of the time from a node to expiry, by the root of the share that has passed, and how much
 * each node counts in the exercise price then.
 */
interface Path {
  readonly node: number;
  readonly rule: Quadrature;
  readonly shares: readonly Float64Array[];
}

function pathFrom(node: number, rule: Quadrature): Path {
  const start = NODE_PLACES[node]!;
  const shares = rule.places.map((place) => nodeShares(start * Math.sqrt(1 - place ** 2)));
  return { node, rule, shares };
}

const BOUNDARY_RULE = gaussLegendre(BOUNDARY_POINTS);
const BOUNDARY_PATHS = NODE_PLACES.map((_, node) => pathFrom(node, BOUNDARY_RULE));
const VALUE_PATH = pathFrom(NODES, gaussLegendre(VALUE_POINTS));

/** A path with all that does not depend on exercise prices. */
interface Course {
  readonly shares: readonly Float64Array[];
  readonly years: number;
  /** At each point: the deviation and the drift until then, interest and dividends at that time. */
  readonly spreads: Float64Array;
  readonly drifts: Float64Array;
  readonly interest: Float64Array;
  readonly dividends: Float64Array;
}

function courseOf(put: OptionTerms, volatility: number, { node, rule, shares }: Path): Course {
  const { rate, dividendYield } = put;
  const years = put.years * NODE_PLACES[node]! ** 2;
  const passed = Float64Array.from(rule.places, (place) => years * place ** 2);
  const flow = (yearly: number) =>
    passed.map((time, k) => {
      const span = 2 * years * rule.places[k]! * rule.weights[k]!;
      return yearly * Math.exp(-yearly * time) * span;
    });
  return {
    ...{ shares, years },
    spreads: passed.map((time) => volatility * Math.sqrt(time)),
    drifts: passed.map((time) => (rate - dividendYield) * time),
    interest: flow(rate),
    dividends: flow(dividendYield),
  };
}

/** By node, the square of the logarithm of the exercise price against that at expiry. */
type Boundary = Float64Array;

function logAt(boundary: Boundary, shares: Float64Array): number {
  let square = 0;
  for (let node = 1; node <= NODES; node++) square += boundary[node]! * shares[node]!;
  return -Math.sqrt(Math.max(0, square));
}

/** Just before expiry, one exercises once the interest gained exceeds the dividends lost. */
function priceAtExpiry({ strike, rate, dividendYield }: OptionTerms): number {
  return dividendYield > rate ? (strike * rate) / dividendYield : strike;
}

/**
 * Bjerksund and Stensland (1993), for the call that is worth what the put is. A drift against early
 * exercise is left out, which would take late prices back to that at expiry.
 */
function firstGuess(put: OptionTerms, volatility: number): Boundary {
  const { strike, years, rate, dividendYield } = put;
  const lean = 0.5 + (rate - dividendYield) / volatility ** 2;
  const power = lean + Math.sqrt(lean ** 2 + (2 * dividendYield) / volatility ** 2);
  const soon = strike ** 2 / priceAtExpiry(put);
  const growth = power > 1 ? (strike * power) / (power - 1) / soon - 1 : Number.POSITIVE_INFINITY;
  return Float64Array.from(NODE_PLACES, (place) => {
    const time = years * place ** 2;
    const reach = 2 * volatility * Math.sqrt(time) + Math.max(0, dividendYield - rate) * time;
    const grown = Number.isFinite(growth) ? growth * (1 - Math.exp(-reach / growth)) : reach;
    return grown > 0 ? Math.log1p(grown) ** 2 : 0;
  });
}

/** Logarithm of the price from which the put, by the slopes of its value, would be exercised. */
function nextLog(
  put: OptionTerms,
  volatility: number,
  course: Course,
  boundary: Boundary,
  log: number,
) {
  const { strike, rate, dividendYield } = put;
  const { years, shares, spreads, drifts, interest, dividends } = course;
  const soon = priceAtExpiry(put);
  const spread = volatility * Math.sqrt(years);
  const d = (Math.log(soon / strike) + log + (rate - dividendYield) * years) / spread;
  const density = (at: number, deviation: number) => normalDensity(at) / deviation;
  let above = Math.exp(-rate * years) * density(d - spread / 2, spread);
  let below =
    Math.exp(-dividendYield * years) *
    (normalDistribution(d + spread / 2) + density(d + spread / 2, spread));
  for (let k = 0; k < shares.length; k++) {
    const deviation = spreads[k]!;
    const at = (log - logAt(boundary, shares[k]!) + drifts[k]!) / deviation;
    const [minus, plus] = [at - deviation / 2, at + deviation / 2];
    above += interest[k]! * density(minus, deviation);
    if (dividendYield !== 0)
      below += dividends[k]! * (normalDistribution(plus) + density(plus, deviation));
  }
  const found = Math.log(((strike / soon) * above) / below);
  return Number.isFinite(found) ? found : log;
}

function findBoundary(put: OptionTerms, volatility: number): Boundary {
  const courses = BOUNDARY_PATHS.map((path) => courseOf(put, volatility, path));
  const boundary = firstGuess(put, volatility);
  const logs = boundary.map((square) => -Math.sqrt(square));
  let former: { readonly logs: Float64Array; readonly found: Float64Array } | null = null;
  for (let round = 0; round < BOUNDARY_ROUNDS_MAX; round++) {
    const found = logs.map((log, node) =>
      node === 0 ? 0 : nextLog(put, volatility, courses[node]!, boundary, log),
    );
    const known = { logs: logs.slice(), found };
    let change = 0;
    for (let node = 1; node <= NODES; node++) {
      const log = logs[node]!;
      const slope =
        former && former.logs[node] !== log
          ? (found[node]! - former.found[node]!) / (log - former.logs[node]!)
          : 0;
      const damping = Math.min(0, Math.max(STEEPEST_SLOPE, slope));
      logs[node] = Math.min(0, (found[node]! - damping * log) / (1 - damping));
      boundary[node] = logs[node]! ** 2;
      change = Math.max(change, Math.abs(logs[node]! - log));
    }
    if (change < LOG_TOLERANCE) return boundary;
    former = known;
  }
  // The steps swing where exercise gains far more than volatility does, and are slow where it gains
  // next to nothing.
  const swings = put.rate ** 2 * put.years > volatility ** 2;
  return swings ? firstGuess(put, volatility) : boundary;
}

function premiumOfPut(put: OptionTerms, volatility: number): ValueAndSlopes | null {
  const { spot, strike } = put;
  const boundary = findBoundary(put, volatility);
  const log = Math.log(spot / priceAtExpiry(put));
  if (log <= -Math.sqrt(boundary[NODES]!)) return null;
  const { shares, spreads, drifts, interest, dividends } = courseOf(put, volatility, VALUE_PATH);
  let [value, delta, gamma] = [0, 0, 0];
  for (let k = 0; k < shares.length; k++) {
    const deviation = spreads[k]!;
    const at = (log - logAt(boundary, shares[k]!) + drifts[k]!) / deviation;
    const [minus, plus] = [at - deviation / 2, at + deviation / 2];
    const owned = dividends[k]! * normalDistribution(-plus);
    const interestSlope = (interest[k]! * strike * normalDensity(minus)) / (spot * deviation);
    const dividendSlope = (dividends[k]! * normalDensity(plus)) / deviation;
    value += interest[k]! * strike * normalDistribution(-minus) - spot * owned;
    delta += dividendSlope - interestSlope - owned;
    gamma +=
      (interestSlope * (minus / deviation + 1) - dividendSlope * (plus / deviation - 1)) / spot;
  }
  return { value: Math.max(0, value), delta, gamma };
}

/** A call is worth what a put on the strike is that is paid for with the underlying. */
function asPut({ spot, strike, rate, dividendYield, ...rest }: OptionTerms): OptionTerms {
  return { ...rest, spot: strike, strike: spot, rate: dividendYield, dividendYield: rate };
}

/** A put gains interest by exercise, a call dividends. Without them it is never exercised early. */
export function mayGainByExercise({ isCall, rate, dividendYield }: OptionTerms): boolean {
  return (isCall ? dividendYield : rate) > 0;
}

/**
 * Value and slopes of the right to exercise early, to be added to those of the European option;
 * null where the option is worth no more than its exercise now. `mayGainByExercise` holds.
 */
export function earlyExercise(terms: OptionTerms, volatility: number): ValueAndSlopes | null {
  const put = terms.isCall ? asPut(terms) : terms;
  const premium = premiumOfPut(put, volatility);
  if (premium === null || !terms.isCall) return premium;
  const { value, delta, gamma } = premium;
  const { spot, strike } = terms;
  return {
    ...{ value, delta: (value - strike * delta) / spot },
    gamma: gamma * (strike / spot) ** 2,
  };
}

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
