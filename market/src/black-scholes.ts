/** Black-Scholes-Merton: value and sensitivities of an option of European exercise, closed form. */
import type { OptionTerms } from './option-terms.ts';

function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/** Cumulative normal distribution to about 1e-15 (series near 0, continued fraction beyond). */
export function normalDistribution(x: number): number {
  if (Math.abs(x) < 3) {
    let term = x;
    let sum = x;
    for (let i = 3; Math.abs(term) > 1e-17; i += 2) {
      term *= (x * x) / i;
      sum += term;
    }
    return 0.5 + sum * normalDensity(x);
  }
  const tail = Math.abs(x);
  let fraction = tail;
  for (let i = 60; i > 0; i--) fraction = tail + i / fraction;
  const beyond = normalDensity(tail) / fraction;
  return x > 0 ? 1 - beyond : beyond;
}

export interface ValueAndSlopes {
  /** Dollars per share. */
  readonly value: number;
  /** Change of the value for a dollar of the underlying. */
  readonly delta: number;
  /** Change of delta for a dollar of the underlying. */
  readonly gamma: number;
}

/** `volatility` a year, above 0. */
export function europeanOption(terms: OptionTerms, volatility: number): ValueAndSlopes {
  const { isCall, spot, strike, years, rate, dividendYield } = terms;
  const spread = volatility * Math.sqrt(years);
  const drift = (rate - dividendYield + volatility ** 2 / 2) * years;
  const d1 = (Math.log(spot / strike) + drift) / spread;
  const side = isCall ? 1 : -1;
  const carry = Math.exp(-dividendYield * years);
  const delta = side * carry * normalDistribution(side * d1);
  const owed = strike * Math.exp(-rate * years) * normalDistribution(side * (d1 - spread));
  return {
    value: spot * delta - side * owed,
    delta,
    gamma: (carry * normalDensity(d1)) / (spot * spread),
  };
}
