/**
 * All random draws of tests derive from one seed: fixed in ordinary runs, fresh in nightly ones.
 * Every suite lists this file in `setupFiles` so that fast-check uses the seed too.
 */
import { type Random, randomOf } from '@ticklake/demo/random.ts';
import fc from 'fast-check';
import { expect } from 'vitest';

/** The seed whose draws are known to come across everything that tests want to have seen. */
const USUAL_SEED = 1;

function seedOf(text = `${USUAL_SEED}`): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`TICKLAKE_TEST_SEED has to be an integer from 1 to 999999999: ${text}`);
}

export const SEED = seedOf(process.env.TICKLAKE_TEST_SEED);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

/** Draws of one test, which other tests don't change: `name` is its own. */
export function drawsOf(name: string): Random {
  return randomOf(SEED, name);
}

/**
 * Fails if random cases never hit some kind, so that no check passes vacuously. Checked with the
 * usual seed only: any other might miss a kind by chance.
 */
export function expectCameAcross(counts: Readonly<Record<string, number>>): void {
  if (SEED !== USUAL_SEED) return;
  const none = Object.keys(counts).filter((kind) => counts[kind] === 0);
  expect(none, `never drawn with seed ${SEED}`).toEqual([]);
}
