/** The securities of the benchmark's market and how many ticks each of them has on a day. */
import type { DataSizes } from './sizes.ts';

export interface Listing {
  readonly ticker: string;
  readonly asid: bigint;
  /** Dollars. */
  readonly basePrice: number;
}

const FLAGSHIP_TICKS = [620_000, 600_000, 580_000, 560_000];
const FIRST_ASID = 1_010_000_000_000_001n;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** The number of four-letter names. 7919 is coprime to this, so no two numbers share a name. */
const NAMES = LETTERS.length ** 4;

function tickerOf(ordinal: number): string {
  let rest = (ordinal * 7919 + 12_345) % NAMES;
  let name = '';
  for (let i = 0; i < 4; i++) {
    name = LETTERS[rest % LETTERS.length] + name;
    rest = Math.floor(rest / LETTERS.length);
  }
  return name;
}

/** A number from 0 to 1, always the same for the same arguments. */
export function noise(a: number, b: number): number {
  let state = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
}

/** Most traded first; by name they lie anywhere. */
export function listings(count: number): Listing[] {
  return Array.from({ length: count }, (_, i) => ({
    ticker: tickerOf(i),
    asid: FIRST_ASID + BigInt(i),
    basePrice: Math.round((8 + 400 * noise(i, 1) ** 2) * 100) / 100,
  }));
}

/**
 * Ticks of each listing on the day: a few flagships, then a power law, and a tenth up or down from
 * day to day. Adds up to about the number of ticks that was asked for.
 */
export function tickCounts(sizes: DataSizes, day: number): number[] {
  const flagships = FLAGSHIP_TICKS.slice(0, sizes.flagships);
  const rest = sizes.ticksPerDay - flagships.reduce((sum, count) => sum + count, 0);
  const weights = Array.from({ length: sizes.tickers - flagships.length }, (_, i) => 1 / (i + 5));
  const share = rest / weights.reduce((sum, weight) => sum + weight, 0);
  return [...flagships, ...weights.map((weight) => weight * share)].map((count, i) =>
    Math.max(1, Math.round(count * (0.9 + 0.2 * noise(i, day + 2)))),
  );
}
