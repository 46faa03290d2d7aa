/** Black-Scholes-Merton: value and sensitivities of an option of European exercise, closed form. */

/** An option on one underlying, as the models read it. */
export interface OptionTerms {
  readonly isCall: boolean;
  readonly isAmerican: boolean;
  /** Underlying price, dollars. */
  readonly spot: number;
  readonly strike: number;
  /** Time to expiry in years, above 0. */
  readonly years: number;
  /** Continuous, a year: 0.05 is five percent. */
  readonly rate: number;
  readonly dividendYield: number;
}

const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / ROOT_OF_TWO_PI;
}

/** Coefficients of the polynomials of Hart (1968), algorithm 5666, highest power first. */
const ABOVE = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
] as const;
const BELOW = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674,
  637.333633378831, 793.826512519948, 440.413735824752,
] as const;
/** From here on, a continued fraction. */
const FAR = 7.07106781186547;

function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (const coefficient of coefficients) value = value * x + coefficient;
  return value;
}

/** Cumulative normal distribution to about 1e-15. */
export function normalDistribution(x: number): number {
  const tail = Math.abs(x);
  const density = Math.exp((-tail * tail) / 2);
  const beyond =
    tail < FAR
      ? (density * polynomial(ABOVE, tail)) / polynomial(BELOW, tail)
      : density /
        ROOT_OF_TWO_PI /
        (tail + 1 / (tail + 2 / (tail + 3 / (tail + 4 / (tail + 0.65)))));
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
