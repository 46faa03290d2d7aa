/**
 * The value of the right to exercise early: finite differences (Crank-Nicolson on a grid of log
 * prices around the spot) with and without that right, and the difference of the two, so that the
 * errors of the grid cancel. The grid runs from in the money to out of the money.
 */
import type { ValueAndSlopes } from './black-scholes.ts';
import type { OptionTerms } from './option-terms.ts';

/** Even, so that the spot lies on a node. */
const NODES = 120;
const SPOT_NODE = NODES / 2;
const TIME_STEPS = 40;
/** Fully implicit steps at first smooth the kink of the payoff. */
const SMOOTHING_STEPS = 4;
const WIDTH_DEVIATIONS = 5;

/** One equation of the scheme: `lower * v[j-1] + middle * v[j] + upper * v[j+1]`. */
interface Stencil {
  readonly lower: number;
  readonly middle: number;
  readonly upper: number;
}

interface Grid {
  readonly side: number;
  readonly step: number;
  readonly stencil: Stencil;
  readonly prices: Float64Array;
  readonly payoff: Float64Array;
}

const factor = new Float64Array(NODES + 1);
const inverse = new Float64Array(NODES + 1);
const right = new Float64Array(NODES + 1);
const NO_FLOOR = new Float64Array(NODES + 1).fill(Number.NEGATIVE_INFINITY);

function buildGrid(terms: OptionTerms, volatility: number): Grid {
  const { isCall, spot, strike, years, rate, dividendYield } = terms;
  const side = isCall ? 1 : -1;
  const deviation = volatility * Math.sqrt(years);
  const width = Math.max(
    WIDTH_DEVIATIONS * deviation,
    Math.abs(Math.log(spot / strike)) + 2 * deviation,
  );
  const step = width / SPOT_NODE;
  const diffusion = volatility ** 2 / 2 / step ** 2;
  const drift = (-side * (rate - dividendYield - volatility ** 2 / 2)) / (2 * step);
  const prices = Float64Array.from({ length: NODES + 1 }, (_, j) =>
    j === SPOT_NODE ? spot : spot * Math.exp(-side * (j - SPOT_NODE) * step),
  );
  return {
    side,
    step,
    stencil: { lower: diffusion - drift, middle: -2 * diffusion - rate, upper: diffusion + drift },
    prices,
    payoff: prices.map((price) => Math.max(0, side * (price - strike))),
  };
}

/** The equations of one time step, eliminated from the far end on: the same for any values. */
interface Step {
  readonly stencil: Stencil;
  /** Time step of the known and of the sought values. */
  readonly known: number;
  readonly below: number;
}

function prepareStep(stencil: Stencil, dt: number, implicitShare: number): Step {
  const sought = -implicitShare * dt;
  const below = sought * stencil.lower;
  const centre = 1 + sought * stencil.middle;
  const above = sought * stencil.upper;
  inverse[NODES - 1] = 1 / centre;
  for (let j = NODES - 2; j >= 1; j--) {
    factor[j] = above * inverse[j + 1]!;
    inverse[j] = 1 / (centre - factor[j]! * below);
  }
  return { stencil, known: (1 - implicitShare) * dt, below };
}

/** Takes values one step on; `edge` is the first node's value, `floor` what none falls under. */
function advance(values: Float64Array, step: Step, edge: number, floor: Float64Array): void {
  const { below } = step;
  const lower = step.known * step.stencil.lower;
  const middle = 1 + step.known * step.stencil.middle;
  const upper = step.known * step.stencil.upper;
  for (let j = 1; j < NODES; j++)
    right[j] = lower * values[j - 1]! + middle * values[j]! + upper * values[j + 1]!;
  for (let j = NODES - 2; j >= 1; j--) right[j]! -= factor[j]! * right[j + 1]!;
  let value = edge;
  values[0] = edge;
  values[NODES] = 0;
  for (let j = 1; j < NODES; j++) {
    value = (right[j]! - below * value) * inverse[j]!;
    if (value < floor[j]!) value = floor[j]!;
    values[j] = value;
  }
}

/**
 * Value and slopes of the right to exercise early, to be added to those of the European option;
 * null where the option is worth no more than its exercise now.
 */
export function earlyExercise(terms: OptionTerms, volatility: number): ValueAndSlopes | null {
  const { spot, strike, years, rate, dividendYield } = terms;
  const { side, step, stencil, prices, payoff } = buildGrid(terms, volatility);
  const american = payoff.slice();
  const european = payoff.slice();
  let elapsed = 0;
  for (let n = 1; n <= TIME_STEPS; n++) {
    const next = years * (n / TIME_STEPS) ** 2;
    const oneStep = prepareStep(stencil, next - elapsed, n <= SMOOTHING_STEPS ? 1 : 0.5);
    elapsed = next;
    const owned = prices[0]! * Math.exp(-dividendYield * elapsed);
    const forward = Math.max(0, side * (owned - strike * Math.exp(-rate * elapsed)));
    advance(european, oneStep, forward, NO_FLOOR);
    advance(american, oneStep, Math.max(forward, payoff[0]!), payoff);
  }
  if (payoff[SPOT_NODE]! > 0 && american[SPOT_NODE] === payoff[SPOT_NODE]) return null;
  const premium = (node: number) => american[node]! - european[node]!;
  const [inner, middle, outer] = [SPOT_NODE - 1, SPOT_NODE, SPOT_NODE + 1].map(premium) as [
    number,
    number,
    number,
  ];
  const slope = (-side * (outer - inner)) / (2 * step);
  const bend = (outer - 2 * middle + inner) / step ** 2;
  return { value: Math.max(0, middle), delta: slope / spot, gamma: (bend - slope) / spot ** 2 };
}
