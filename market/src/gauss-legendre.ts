/** Quadrature of Gauss and Legendre. */

export interface Quadrature {
  /** Between 0 and 1. */
  readonly places: readonly number[];
  /** Their sum is 1. */
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

export function gaussLegendre(count: number): Quadrature {
  const roots = Array.from({ length: count }, (_, i) =>
    legendreRoot(count, Math.cos((Math.PI * (i + 0.75)) / (count + 0.5))),
  );
  return {
    places: roots.map(({ root }) => (1 + root) / 2),
    weights: roots.map(({ root, slope }) => 1 / ((1 - root ** 2) * slope ** 2)),
  };
}
