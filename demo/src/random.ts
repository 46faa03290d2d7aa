/**
 * Random numbers that depend on a seed and on names alone: each instrument and day has a stream of
 * its own, so the order in which things are generated never changes what is generated.
 */

function hash(text: string, basis: number): number {
  let value = basis;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  return (value ^ (value >>> 13)) | 0;
}

/** The generator sfc32 (small fast counter, 128 bits of state). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  #spareNormal: number | null = null;

  constructor(key: string) {
    this.#a = hash(key, 0x811c9dc5);
    this.#b = hash(key, 0x9e3779b9);
    this.#c = hash(key, 0x243f6a88);
    for (let i = 0; i < 12; i++) this.next();
  }

  /** Uniform in [0, 1). */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  }

  uniform(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** Whole number from `low` up to and including `high`. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  /** Standard normal, by Marsaglia's polar method. */
  normal(): number {
    if (this.#spareNormal !== null) {
      const spare = this.#spareNormal;
      this.#spareNormal = null;
      return spare;
    }
    for (;;) {
      const x = 2 * this.next() - 1;
      const y = 2 * this.next() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spareNormal = y * factor;
      return x * factor;
    }
  }

  /** Whole number around `mean`: exact Poisson when small, rounded normal when large. */
  poisson(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const bound = Math.exp(-mean);
    let count = 0;
    for (let product = this.next(); product > bound; product *= this.next()) count++;
    return count;
  }
}

/** The stream of the given names, e.g. `randomOf(seed, 'path', ticker)`. */
export function randomOf(seed: number, ...names: readonly string[]): Random {
  return new Random(`${seed}|${names.join('|')}`);
}
