/** Columns gathered over batches: numbers as doubles, texts as codes. */
import type { Quantity } from '@ticklake/market/quantity.ts';
import type { Column } from '../catalog/dataset.ts';
import { type ColumnVector, type DecimalVector, writeCodes } from './columns.ts';
import { NO_CODE, TextCodes } from './text-codes.ts';

const INITIAL_CAPACITY = 1024;
/** One busy instrument should not hold its memory for the rest of the day's. */
const KEPT_CAPACITY_MAX = 1_048_576;
const TWO_POW_32 = 4_294_967_296;

function writeNulls(
  nulls: Uint8Array,
  first: number,
  end: number,
  target: Float64Array,
  at: number,
): void {
  for (let row = first; row < end; row++) if (nulls[row]) target[at + row - first] = Number.NaN;
}

/** Numbers that grow. */
class Growing<Values extends Float64Array | Int32Array> {
  length = 0;
  protected values: Values;
  readonly #make: (capacity: number) => Values;

  constructor(make: (capacity: number) => Values) {
    this.#make = make;
    this.values = make(INITIAL_CAPACITY);
  }

  at(index: number): number {
    return this.values[index] as number;
  }

  /** All of them; until more are added. */
  get all(): Values {
    return this.values.subarray(0, this.length) as Values;
  }

  clear(): void {
    this.length = 0;
    if (this.values.length > KEPT_CAPACITY_MAX) this.values = this.#make(INITIAL_CAPACITY);
  }

  /** Adds places, which have no values yet, and returns the first of them. */
  protected grow(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.values.length) {
      const grown = this.#make(Math.max(this.length, this.values.length * 2));
      grown.set(this.values.subarray(0, at));
      this.values = grown;
    }
    return at;
  }
}

/** Doubles that grow; null is NaN. */
export class Doubles extends Growing<Float64Array> {
  /** Whole numbers that doubles do not hold, by place. */
  readonly #large = new Map<number, bigint>();

  constructor() {
    super((capacity) => new Float64Array(capacity));
  }

  override clear(): void {
    super.clear();
    this.#large.clear();
  }

  /** A whole number, exact. NaN is null. */
  quantityAt(index: number): Quantity {
    return (this.#large.size > 0 && this.#large.get(index)) || this.at(index);
  }

  /** Adds numbers: integers as the nearest double, times minus `baseNanos`. */
  append(vector: ColumnVector, first: number, end: number, baseNanos = 0n): void {
    const at = this.grow(end - first);
    const { values } = this;
    if (vector.type === 'number' || vector.type === 'date') {
      values.set(vector.values.subarray(first, end), at);
      if (vector.nulls) writeNulls(vector.nulls, first, end, values, at);
    } else if (vector.type === 'integer' || vector.type === 'date-time') {
      // Minus the base, as doubles; exact below 2^53.
      const { values: units, nulls } = vector;
      const low = new Uint32Array(units.buffer, units.byteOffset, units.length * 2);
      const high = new Int32Array(units.buffer, units.byteOffset, units.length * 2);
      const baseHigh = Number(baseNanos >> 32n);
      const baseLow = Number(baseNanos & 0xffff_ffffn);
      for (let row = first; row < end; row++) {
        const rest = (low[row * 2] as number) - baseLow;
        values[at + row - first] = ((high[row * 2 + 1] as number) - baseHigh) * TWO_POW_32 + rest;
      }
      if (nulls) writeNulls(nulls, first, end, values, at);
    } else throw new Error(`a column of ${vector.type} holds no numbers`);
  }

  /** Adds integers, or decimals in units of their last digit, to be read by `quantityAt`. */
  appendUnits(vector: ColumnVector, first: number, end: number): void {
    const from = this.length;
    if (vector.type === 'decimal') this.#appendDecimals(vector, first, end);
    else this.append(vector, first, end);
    for (let at = from; at < this.length; at++) {
      if (Math.abs(this.at(at)) > Number.MAX_SAFE_INTEGER)
        this.#large.set(at, vector.values[first + at - from] as bigint);
    }
  }

  #appendDecimals({ values: units }: DecimalVector, first: number, end: number): void {
    const at = this.grow(end - first);
    for (let row = first; row < end; row++) {
      this.values[at + row - first] = Number(units[row] ?? Number.NaN);
    }
  }
}

/** Texts that repeat, as numbers that stand for them; all columns of a reading share one. */
export class TextPool {
  readonly #codes = new TextCodes();
  readonly #texts: string[] = [];

  /** Writes codes of rows [first, end) to `target` from `at`; `NO_CODE` for null. */
  writeCodes(
    vector: ColumnVector,
    target: Int32Array,
    at: number,
    first: number,
    end: number,
  ): void {
    if (vector.type !== 'string') throw new Error(`a column of ${vector.type} holds no texts`);
    writeCodes(vector, this.#codes, target, at, first, end);
  }

  textOf(code: number): string | null {
    if (code === NO_CODE) return null;
    const known = this.#texts[code];
    if (known !== undefined) return known;
    const text = Buffer.from(this.#codes.texts[code] as Uint8Array).toString();
    // The engine of the language keeps each name of a property once, and compares such texts by
    // their address.
    const [kept = text] = Object.keys({ [text]: null });
    this.#texts[code] = kept;
    return kept;
  }
}

/** Codes that grow. */
export class Codes extends Growing<Int32Array> {
  readonly #pool: TextPool;

  constructor(pool: TextPool) {
    super((capacity) => new Int32Array(capacity));
    this.#pool = pool;
  }

  textAt(index: number): string | null {
    return this.#pool.textOf(this.at(index));
  }

  /** Adds rows of a column of texts. */
  append(vector: ColumnVector, first: number, end: number): void {
    const at = this.grow(end - first);
    this.#pool.writeCodes(vector, this.values, at, first, end);
  }
}

/** NaN stands for null. */
export function orNull<T extends Quantity>(value: T): T | null {
  return Number.isNaN(value) ? null : value;
}

/** A null counts as 0, as in a row that withdraws a quote. */
export function orZero(values: Doubles, index: number): number {
  return values.at(index) || 0;
}

/** A whole number, exact; a null counts as 0. */
export function quantityOrZero(values: Doubles, index: number): Quantity {
  return values.quantityAt(index) || 0;
}

/** Reads a whole number, in units of its column's last digit; null: there is none. */
export function unitsReader(vector: ColumnVector): (row: number) => bigint | null {
  if (vector.type === 'decimal') return (row) => vector.values[row] ?? null;
  if (vector.type !== 'integer') throw new Error(`a column of ${vector.type} holds no units`);
  const { values, nulls } = vector;
  return (row) => (nulls?.[row] ? null : (values[row] as bigint));
}

/** Reads a row of a vector of numbers, integers or dates as a double; null is NaN. */
export function doubleReader(vector: ColumnVector): (row: number) => number {
  if (!('nulls' in vector) || vector.type === 'date-time') {
    throw new Error(`a column of ${vector.type} holds no numbers`);
  }
  const { values, nulls } = vector;
  return (row) => (nulls?.[row] ? Number.NaN : Number(values[row]));
}

/** Reads a size or volume as the nearest double; null is NaN. */
export function sizeReader(vector: ColumnVector, { scale = 0 }: Column): (row: number) => number {
  const unitsAt = unitsReader(vector);
  return (row) => Number(unitsAt(row) ?? Number.NaN) / 10 ** scale;
}

/** The values of a vector as doubles; null is NaN. */
export function doublesOf(vector: ColumnVector, rowCount: number): Float64Array {
  const doubleAt = doubleReader(vector);
  return new Float64Array(rowCount).map((_, row) => doubleAt(row));
}

export function textReader(vector: ColumnVector): (row: number) => string | null {
  if (vector.type !== 'string') throw new Error(`a column of ${vector.type} holds no texts`);
  return (row) => vector.values[row] ?? null;
}
