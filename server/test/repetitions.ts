import { SEED } from './seed.ts';

/**
 * How often a test repeats random trials: `inEveryRun`, unless the environment overrides it as in
 * `vitest.nightly.config.ts`. Throws on anything but a positive integer, lest a test pass untried.
 */
export function repetitions(name: string, inEveryRun: number): number {
  const text = process.env[name];
  if (text === undefined) return inEveryRun;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${name} has to be a positive integer: ${text}`);
  return Number(text);
}

/** All random trials are 1; `.ci/run` samples a share of those that are dear. */
export const SAMPLED_SHARE = 1 / repetitions('TICKLAKE_CASES_EVERY', 1);

export function sampledRuns(count: number): number {
  return Math.ceil(count * SAMPLED_SHARE);
}

/**
 * Every n-th of many similar cases: all by default; `every` or the environment sets n, as `.ci/run`
 * does for suites it samples. The seed and `offset` decide which cases run.
 */
export function sampleOf<T>(
  cases: readonly T[],
  { name = 'TICKLAKE_CASES_EVERY', every = 1, offset = 0 } = {},
): readonly T[] {
  const step = repetitions(name, every);
  return cases.filter((_, at) => at % step === (SEED + offset) % step);
}
