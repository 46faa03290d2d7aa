/** Values of columns gathered over batches: numbers as doubles, everything else as it is. */
import type { ColumnVector } from '../engine/columns.ts';

const INITIAL_CAPACITY = 1024;

/** Doubles that grow; null is NaN. */
export class Doubles {
  #values = new Float64Array(INITIAL_CAPACITY);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index] as number;
  }

  clear(): void {
    this.length = 0;
    // One busy instrument should not hold its memory for the rest of the day's.
    if (this.#values.length > 64 * INITIAL_CAPACITY)
      this.#values = new Float64Array(INITIAL_CAPACITY);
  }
}

/** A null counts as 0, as in a row that withdraws a quote. */
export function orZero(values: Doubles, index: number): number {
  const value = values.at(index);
  return Number.isNaN(value) ? 0 : value;
}

/** Reads a row of a vector of numbers, integers or dates as a double; null is NaN. */
export function doubleReader(vector: ColumnVector): (row: number) => number {
  if (vector.type === 'number' || vector.type === 'date') {
    const { values, nulls } = vector;
    return (row) => (nulls?.[row] ? Number.NaN : (values[row] as number));
  }
  if (vector.type === 'integer') {
    const { values, nulls } = vector;
    return (row) => (nulls?.[row] ? Number.NaN : Number(values[row]));
  }
  throw new Error(`a column of ${vector.type} holds no numbers`);
}

/** The values of a vector as doubles; null is NaN. */
export function doublesOf(vector: ColumnVector, rowCount: number): Float64Array {
  const doubleAt = doubleReader(vector);
  return Float64Array.from({ length: rowCount }, (_, row) => doubleAt(row));
}

export function textReader(vector: ColumnVector): (row: number) => string | null {
  if (vector.type !== 'string') throw new Error(`a column of ${vector.type} holds no texts`);
  return (row) => vector.values[row] ?? null;
}

/** Reads the times of a vector as nanoseconds after `baseNanos`, exact for a hundred days. */
export function nanosReader(vector: ColumnVector): (row: number, baseNanos: bigint) => number {
  if (vector.type !== 'date-time') throw new Error(`a column of ${vector.type} holds no times`);
  const { values, nulls } = vector;
  return (row, baseNanos) =>
    nulls?.[row] ? Number.NaN : Number((values[row] as bigint) - baseNanos);
}
