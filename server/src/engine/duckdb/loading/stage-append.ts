/** Copies batches into a stage's table: typed arrays go into the engine's vectors as a whole. */
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  type DuckDBAppender,
  DuckDBBigIntVector,
  DuckDBDataChunk,
  DuckDBDecimalValue,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
  LIST,
  listValue,
  TIMESTAMP_NS,
  VARCHAR,
} from '@duckdb/node-api';
import { decimalDigits, isArray } from '../../../catalog/column-types.ts';
import type { Column, DataType } from '../../../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector, ListedVector } from '../../columns.ts';

/**
 * Writes strings into the engine's vectors. A vector of strings has a header of 16 bytes for each:
 * the length, then up to 12 bytes of text; longer texts lie elsewhere. Market data has few long
 * ones, so headers are made here and copied at once instead of one call a string.
 */

const HEADER_BYTES = 16;
const INLINE_CHARACTERS_MAX = 12;

/** Writes the header of a short ASCII text at `offset`; false when the text is not of that kind. */
function writeHeader(bytes: Uint8Array, offset: number, text: string): boolean {
  if (text.length > INLINE_CHARACTERS_MAX) return false;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    if (code > 0x7f) {
      bytes.fill(0, offset, offset + HEADER_BYTES);
      return false;
    }
    bytes[offset + 4 + k] = code;
  }
  bytes[offset] = text.length;
  return true;
}

/** Sets the vector's items, from 0 on, to `values` from `start` up to `end`. */
function setStrings(
  target: DuckDBVector,
  values: readonly (string | null)[],
  start: number,
  end: number,
): void {
  const { vector, validity } = target as unknown as RawVector;
  const bytes = new Uint8Array((end - start) * HEADER_BYTES);
  const others: number[] = [];
  for (let i = start; i < end; i++) {
    const text = values[i] as string | null;
    if (text === null) validity.setItemValid(i - start, false);
    else if (!writeHeader(bytes, (i - start) * HEADER_BYTES, text)) others.push(i);
  }
  // Each header seen as two 64-bit integers, which the class copies unchanged.
  const words = new BigInt64Array(bytes.buffer);
  new DuckDBBigIntVector(words, validity, vector).flush();
  if (others.length === 0) return;
  for (const i of others) target.setItem(i - start, values[i] as string);
  target.flush();
}

/** Rows of the engine's vectors. */
const CHUNK_ROWS = 2048;

const CHUNK_TYPES: Readonly<
  Record<Exclude<DataType, 'date-time'>, (column: Column) => DuckDBType>
> = {
  string: () => VARCHAR,
  integer: () => BIGINT,
  number: () => DOUBLE,
  decimal: (column) => {
    const { precision, scale } = decimalDigits(column);
    return DECIMAL(precision, scale);
  },
  boolean: () => BOOLEAN,
  date: () => DATE,
  'array of string': () => LIST(VARCHAR),
  'array of integer': () => LIST(BIGINT),
  'array of number': () => LIST(DOUBLE),
};

/** True if vectors of the type are written as a whole. */
const isCopied = (type: DataType) => type !== 'decimal' && type !== 'boolean' && !isArray(type);

/** A value as the engine's vectors take it one by one. */
function itemOf(item: NonNullable<ListedVector['values'][number]>, column: Column): DuckDBValue {
  if (typeof item === 'object') return listValue([...item]);
  if (column.dataType !== 'decimal') return item;
  const { precision, scale } = decimalDigits(column);
  return new DuckDBDecimalValue(item as bigint, precision, scale);
}

type TypedValues = BigInt64Array | Float64Array | Int32Array;

type Binding = ConstructorParameters<typeof DuckDBBigIntVector>;

/** The fields inside a vector, which its class hides; its release is pinned. */
interface RawVector {
  readonly vector: Binding[2];
  readonly validity: Binding[1];
}

function setValidity({ validity }: RawVector, nulls: Uint8Array | null): void {
  (validity as unknown as { data: BigUint64Array | null }).data = nulls && validityMask(nulls);
}

function validityMask(nulls: Uint8Array): BigUint64Array {
  const padded = new Uint8Array(CHUNK_ROWS);
  padded.set(nulls);
  const fours = new Int32Array(padded.buffer);
  const bytes = new Uint8Array(CHUNK_ROWS / 8);
  for (let i = 0; i < bytes.length; i++) {
    // The highest four bits of the products are the lowest ones of four bytes.
    const low = Math.imul(fours[2 * i] as number, 0x10204080) >>> 28;
    const high = Math.imul(fours[2 * i + 1] as number, 0x10204080) >>> 28;
    bytes[i] = ~(low | (high << 4));
  }
  return new BigUint64Array(bytes.buffer);
}

/** Any values of a fixed width: the class copies its memory as it is. */
function setTyped(target: DuckDBVector, values: TypedValues, nulls: Uint8Array | null): void {
  const raw = target as unknown as RawVector;
  setValidity(raw, nulls);
  new DuckDBBigIntVector(values as BigInt64Array, raw.validity, raw.vector).flush();
}

function setVector(
  target: DuckDBVector,
  source: ColumnVector,
  column: Column,
  start: number,
  end: number,
): void {
  if (source.type === 'string') {
    setValidity(target as unknown as RawVector, null);
    setStrings(target, source.values, start, end);
  } else if ('nulls' in source) {
    const nulls = source.nulls?.subarray(start, end) ?? null;
    setTyped(target, source.values.subarray(start, end), nulls);
  } else {
    for (let i = start; i < end; i++) {
      const item = source.values[i] ?? null;
      target.setItem(i - start, item === null ? null : itemOf(item, column));
    }
    target.flush();
  }
}

/** Writes batches of the given columns. */
export class BatchAppender {
  readonly #appender: DuckDBAppender;
  readonly #columns: readonly Column[];
  readonly #chunk: DuckDBDataChunk;
  /** Made once where they can be written again: to make one copies its memory. Null: the others. */
  readonly #vectors: readonly (DuckDBVector | null)[];

  /** Times go into columns of `timeType`, either of times or of integers. */
  constructor(
    appender: DuckDBAppender,
    columns: readonly Column[],
    timeType: DuckDBType = TIMESTAMP_NS,
  ) {
    this.#appender = appender;
    this.#columns = columns;
    this.#chunk = DuckDBDataChunk.create(
      columns.map((column) =>
        column.dataType === 'date-time' ? timeType : CHUNK_TYPES[column.dataType](column),
      ),
      CHUNK_ROWS,
    );
    this.#vectors = columns.map(({ dataType }, c) =>
      isCopied(dataType) ? this.#chunk.getColumnVector(c) : null,
    );
  }

  /** Adds the rows of a batch, or those from `first` up to `last`. */
  append(batch: ColumnBatch, first = 0, last = batch.rowCount): void {
    this.#check(batch);
    for (let start = first; start < last; start += CHUNK_ROWS) {
      const end = Math.min(start + CHUNK_ROWS, last);
      this.#chunk.reset();
      this.#chunk.rowCount = end - start;
      batch.columns.forEach((source, c) => {
        const target = this.#vectors[c] ?? this.#chunk.getColumnVector(c);
        setVector(target, source, this.#columns[c] as Column, start, end);
      });
      this.#appender.appendDataChunk(this.#chunk);
    }
  }

  /** Makes the appended rows visible to queries. */
  flush(): void {
    this.#appender.flushSync();
  }

  close(): void {
    this.#appender.closeSync();
  }

  /** A vector of the wrong type or length would write garbage, not fail. */
  #check(batch: ColumnBatch): void {
    if (batch.columns.length !== this.#columns.length) {
      throw new Error(`a batch of ${this.#columns.length} columns has ${batch.columns.length}`);
    }
    batch.columns.forEach((vector, c) => {
      const column = this.#columns[c] as Column;
      if (vector.type !== column.dataType || vector.values.length < batch.rowCount) {
        throw new Error(
          `${column.name}: ${batch.rowCount} values of type ${column.dataType} are due,` +
            ` got ${vector.values.length} of ${vector.type}`,
        );
      }
    });
  }
}
