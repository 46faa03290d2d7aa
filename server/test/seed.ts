/**
 * What tests draw, they draw by one seed: the same in every run, another one in a nightly run. The configurations of all
 * suites name this file in `setupFiles`, so that fast-check goes by it, too.
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
 * Fails if random cases came across nothing of a kind, since a test of nothing passes, too. Only the usual seed promises
 * that: with another one it would be a coin.
 */
export function expectCameAcross(counts: Readonly<Record<string, number>>): void {
  if (SEED !== USUAL_SEED) return;
  const none = Object.keys(counts).filter((kind) => counts[kind] === 0);
  expect(none, `never drawn with seed ${SEED}`).toEqual([]);
}
