/** 64-bit integers by their halves: a bigint for each value is far slower. */

const TWO_POW_32 = 4_294_967_296;

export class Halves {
  readonly #words: Int32Array;

  /** Reads the memory of `values`, on machines that have the lower half first, as all that the engines run on. */
  constructor({ buffer, byteOffset, length }: BigInt64Array) {
    this.#words = new Int32Array(buffer, byteOffset, 2 * length);
  }

  low(row: number): number {
    return (this.#words[2 * row] as number) >>> 0;
  }

  high(row: number): number {
    return this.#words[2 * row + 1] as number;
  }

  /** The value as a number: exact where that is a safe integer. */
  near(row: number): number {
    return this.high(row) * TWO_POW_32 + this.low(row);
  }

  areEqual(row: number, other: number): boolean {
    return this.low(row) === this.low(other) && this.high(row) === this.high(other);
  }

  /** Of fewer than 2^21 rows from `first` up to `end`, without those that `nulls` marks; null: there are none. */
  sum(first: number, end: number, nulls: Uint8Array | null): bigint | null {
    let low = 0;
    let high = 0;
    let count = 0;
    for (let row = first; row < end; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      low += this.low(row);
      high += this.high(row);
      count++;
    }
    return count === 0 ? null : BigInt(high) * BigInt(TWO_POW_32) + BigInt(low);
  }
}
