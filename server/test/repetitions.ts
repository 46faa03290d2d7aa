import { SEED } from './seed.ts';

/**
 * How often a test tries random things: `inEveryRun`, or what the environment says, as in
 * `vitest.nightly.config.ts`. Throws for what is no number, so that nothing passes that was never tried.
 */
export function repetitions(name: string, inEveryRun: number): number {
  const text = process.env[name];
  if (text === undefined) return inEveryRun;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${name} has to be a positive integer: ${text}`);
  return Number(text);
}

/**
 * Of many cases that differ little, each so-manyth: all of them, unless `every` or the environment says otherwise, as
 * `.ci/run` does for suites that it does not run whole. Which ones goes by the seed and by `offset`.
 */
export function sampleOf<T>(
  cases: readonly T[],
  { name = 'TICKLAKE_CASES_EVERY', every = 1, offset = 0 } = {},
): readonly T[] {
  const step = repetitions(name, every);
  return cases.filter((_, at) => at % step === (SEED + offset) % step);
}
