/** Subjects of bars: a number for each combination of values. */
import { type CellValue, type ColumnVector, cellAt } from '../engine/columns.ts';
import { NO_CODE, TextCodes } from '../engine/text-codes.ts';

/** Tells whether two rows are known to have the same value. */
function sameness(vector: ColumnVector): (row: number, other: number) => boolean {
  if (vector.type === 'integer' && vector.nulls === null) {
    const halves = new Halves(vector.values);
    return (row, other) => halves.areEqual(row, other);
  }
  return (row, other) => cellAt(vector, row) === cellAt(vector, other);
}

/** Numbers of the values of one column. */
class ValueCodes {
  readonly #texts = new TextCodes();
  readonly #others = new Map<CellValue, number>();

  codesOf(vector: ColumnVector, rowCount: number): Int32Array {
    const codes = new Int32Array(rowCount);
    if (vector.type === 'string' && vector.writeCodes) {
      vector.writeCodes(this.#texts, codes, 0, 0, rowCount);
      return codes;
    }
    // Neighbours are mostly about the same, and a comparison is far faster than a look-up.
    const isSame = sameness(vector);
    for (let row = 0; row < rowCount; row++) {
      codes[row] =
        row > 0 && isSame(row, row - 1)
          ? (codes[row - 1] as number)
          : this.codeOf(cellAt(vector, row));
    }
    return codes;
  }

  codeOf(value: CellValue): number {
    if (value === null) return NO_CODE;
    if (typeof value === 'string') return this.#texts.codeOf(value);
    return this.#others.getOrInsert(value, this.#others.size);
  }
}

export class SubjectCodes {
  readonly #columns: readonly ValueCodes[];
  readonly #byCodes = new Map<string, number>();

  constructor(columnCount: number) {
    this.#columns = Array.from({ length: columnCount }, () => new ValueCodes());
  }

  get count(): number {
    return this.#byCodes.size;
  }

  /** One number for each row, of the values that the vectors have there together. */
  codesOf(vectors: readonly ColumnVector[], rowCount: number): Int32Array {
    const columns = vectors.map((vector, c) => this.#columns[c]?.codesOf(vector, rowCount));
    const subjects = new Int32Array(rowCount);
    for (let row = 0; row < rowCount; row++) {
      const isSame = row > 0 && columns.every((codes) => codes?.[row] === codes?.[row - 1]);
      subjects[row] = isSame
        ? (subjects[row - 1] as number)
        : this.#codeOf(columns.map((codes) => codes?.[row]));
    }
    return subjects;
  }

  /** As above, for one row. */
  codeOf(cells: readonly CellValue[]): number {
    return this.#codeOf(cells.map((cell, c) => this.#columns[c]?.codeOf(cell)));
  }

  #codeOf(codes: readonly (number | undefined)[]): number {
    const text = codes.join(' ');
    return this.#byCodes.getOrInsert(text, this.#byCodes.size);
  }
}

const TWO_POW_32 = 4_294_967_296;

/** 64-bit integers by their halves: a bigint for each value is far slower. */
export class Halves {
  readonly #words: Int32Array;

  /** A view of `values`; needs a little-endian machine. */
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

  /** Sum of fewer than 2^21 rows without nulls; null: there are no values. */
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
