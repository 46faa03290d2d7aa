/** DuckDB's vectors -> the product's column batches, without a JavaScript object for each value. */
import {
  DuckDBBigIntVector,
  DuckDBBooleanVector,
  type DuckDBDataChunk,
  DuckDBDateVector,
  DuckDBDecimal16Vector,
  DuckDBDecimal32Vector,
  DuckDBDecimal64Vector,
  DuckDBDecimal128Vector,
  type DuckDBDecimalValue,
  DuckDBDoubleVector,
  DuckDBListVector,
  DuckDBVarCharVector,
  type DuckDBVector,
} from '@duckdb/node-api';
import type { Column, DataType } from '../../../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector, ListedVector, Mask, StringVector } from '../../columns.ts';
import { NO_CODE, SHORT_TEXT_BYTES_MAX, type TextCodes } from '../../text-codes.ts';

interface ValidityMask {
  /** One bit for each row, 1 where it has a value; null where every row has one. */
  readonly data: BigUint64Array | null;
}

/** The vector classes keep their mask private; reading it at once is what makes this fast. */
function validBitsOf(vector: DuckDBVector): Uint8Array | null {
  const { data } = (vector as unknown as { validity: ValidityMask }).validity;
  return data && new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function nullsOf(validBits: Uint8Array | null, rowCount: number): Uint8Array | null {
  if (validBits === null) return null;
  const nulls = new Uint8Array(rowCount);
  for (let i = 0; i < nulls.length; i++) {
    nulls[i] = 1 - (((validBits[i >> 3] as number) >> (i & 7)) & 1);
  }
  return nulls;
}

/** Values in an array as the engine has them. */
class MaskedVector<Type, Values extends { readonly length: number; readonly buffer: ArrayBuffer }>
  implements Mask
{
  readonly type: Type;
  readonly values: Values;
  readonly validBits: Uint8Array | null;
  #nulls: Uint8Array | null | undefined;

  constructor(type: Type, values: Values, vector: DuckDBVector) {
    this.type = type;
    this.values = values;
    this.validBits = validBitsOf(vector);
  }

  /** Made when it is first asked for: not every format does. */
  get nulls(): Uint8Array | null {
    if (this.#nulls === undefined) this.#nulls = nullsOf(this.validBits, this.values.length);
    return this.#nulls;
  }
}

const CACHE_SLOTS = 64;

function dataOf(vector: DuckDBVarCharVector): DataView<ArrayBuffer> {
  return (vector as unknown as { dataView: DataView<ArrayBuffer> }).dataView;
}

/**
 * Four words for each text: its length, then a short text itself, or the beginning of a long one
 * and where it lies.
 */
function headersOf(vector: DuckDBVarCharVector): Int32Array {
  const dataView = dataOf(vector);
  return new Int32Array(dataView.buffer, dataView.byteOffset, vector.itemCount * 4);
}

/**
 * Reads 16-byte string headers. Strings of up to 12 bytes stand in the header itself; few distinct
 * ones repeat over most rows (tickers, venues, event types), so a small cache saves the decoding.
 */
function stringsOf(vector: DuckDBVarCharVector): (string | null)[] {
  const nulls = nullsOf(validBitsOf(vector), vector.itemCount);
  const words = headersOf(vector);
  const cachedWords = new Int32Array(CACHE_SLOTS * 4).fill(-1);
  const cachedText: string[] = new Array(CACHE_SLOTS);
  const values: (string | null)[] = new Array(vector.itemCount);
  for (let i = 0; i < vector.itemCount; i++) {
    if (nulls !== null && nulls[i] === 1) {
      values[i] = null;
      continue;
    }
    const at = i * 4;
    const w0 = words[at] as number;
    const w1 = words[at + 1] as number;
    const w2 = words[at + 2] as number;
    const w3 = words[at + 3] as number;
    if (w0 > SHORT_TEXT_BYTES_MAX) {
      values[i] = vector.getItem(i);
      continue;
    }
    const slot = ((w0 ^ w1 ^ (w1 >>> 11) ^ (w2 >>> 3) ^ w3) & (CACHE_SLOTS - 1)) * 4;
    const isCached =
      cachedWords[slot] === w0 &&
      cachedWords[slot + 1] === w1 &&
      cachedWords[slot + 2] === w2 &&
      cachedWords[slot + 3] === w3;
    if (!isCached) {
      cachedWords.set(words.subarray(at, at + 4), slot);
      cachedText[slot >> 2] = vector.getItem(i) as string;
    }
    values[i] = cachedText[slot >> 2] as string;
  }
  return values;
}

/** Texts that become strings when they are first asked for. */
class TextVector implements StringVector {
  readonly type = 'string';
  readonly #vector: DuckDBVarCharVector;
  /** Has the memory in which long texts lie. */
  readonly chunk: DuckDBDataChunk;
  #values: readonly (string | null)[] | null = null;

  constructor(vector: DuckDBVarCharVector, chunk: DuckDBDataChunk) {
    this.#vector = vector;
    this.chunk = chunk;
  }

  /** That of the words of all rows. */
  get memory(): ArrayBuffer {
    return dataOf(this.#vector).buffer;
  }

  get values(): readonly (string | null)[] {
    this.#values ??= stringsOf(this.#vector);
    return this.#values;
  }

  writeCodes(codes: TextCodes, target: Int32Array, at: number, first: number, end: number): void {
    const validBits = validBitsOf(this.#vector);
    const words = headersOf(this.#vector);
    // Rows with the same header as the one before them have the same text, long ones as well.
    let [l0, l1, l2, l3] = [NO_CODE, 0, 0, 0];
    let code = NO_CODE;
    for (let i = first; i < end; i++) {
      if (validBits !== null && (((validBits[i >> 3] as number) >> (i & 7)) & 1) === 0) {
        target[at + i - first] = NO_CODE;
        continue;
      }
      const w0 = words[i * 4] as number;
      const w1 = words[i * 4 + 1] as number;
      const w2 = words[i * 4 + 2] as number;
      const w3 = words[i * 4 + 3] as number;
      if (w0 !== l0 || w1 !== l1 || w2 !== l2 || w3 !== l3) {
        code =
          w0 > SHORT_TEXT_BYTES_MAX
            ? codes.codeOf(this.#vector.getItem(i) as string)
            : codes.codeOfWords(w0, w1, w2, w3);
        [l0, l1, l2, l3] = [w0, w1, w2, w3];
      }
      target[at + i - first] = code;
    }
  }
}

type VectorReader = (vector: DuckDBVector, chunk: DuckDBDataChunk) => ColumnVector;

function expectVector<T>(vector: DuckDBVector, kind: abstract new (...args: never[]) => T): T {
  if (vector instanceof kind) return vector;
  throw new Error(`expected ${kind.name}, the file holds ${vector.constructor.name}`);
}

/** Files hold times as integers, too. */
function integerReader(type: 'integer' | 'date-time'): VectorReader {
  return (vector) => {
    const typed = expectVector(vector, DuckDBBigIntVector);
    return new MaskedVector(type, itemsOf<BigInt64Array<ArrayBuffer>>(typed), typed);
  };
}

/** Values that their class hands out one by one, each made into one of the product's. */
function listReader<Item>(
  type: ListedVector['type'],
  kind: abstract new (...args: never[]) => DuckDBVector,
  toCell: (item: Item) => unknown,
): VectorReader {
  return (vector) => {
    const items = expectVector(vector, kind).toArray() as (Item | null)[];
    const values = items.map((item) => (item === null ? null : toCell(item)));
    return { type, values } as ListedVector;
  };
}

interface List<Element> {
  readonly items: readonly Element[];
}

const DECIMALS = [
  DuckDBDecimal16Vector,
  DuckDBDecimal32Vector,
  DuckDBDecimal64Vector,
  DuckDBDecimal128Vector,
] as const;

const DECIMAL_READERS = DECIMALS.map((kind) => {
  return [kind, listReader<DuckDBDecimalValue>('decimal', kind, ({ value }) => value)] as const;
});

/** The engine keeps decimals in integers of the size that their number of digits needs. */
function readDecimals(vector: DuckDBVector, chunk: DuckDBDataChunk): ColumnVector {
  const reader = DECIMAL_READERS.find(([kind]) => vector instanceof kind)?.[1];
  if (!reader) throw new Error(`expected decimals, the file holds ${vector.constructor.name}`);
  return reader(vector, chunk);
}

const READERS: Record<DataType, VectorReader> = {
  integer: integerReader('integer'),
  'date-time': integerReader('date-time'),
  number: (vector) => {
    const typed = expectVector(vector, DuckDBDoubleVector);
    return new MaskedVector('number', itemsOf<Float64Array<ArrayBuffer>>(typed), typed);
  },
  date: (vector) => {
    const typed = expectVector(vector, DuckDBDateVector);
    return new MaskedVector('date', itemsOf<Int32Array<ArrayBuffer>>(typed), typed);
  },
  string: (vector, chunk) => new TextVector(expectVector(vector, DuckDBVarCharVector), chunk),
  decimal: readDecimals,
  boolean: listReader<boolean>('boolean', DuckDBBooleanVector, (item) => item),
  'array of string': listReader<List<string>>('array of string', DuckDBListVector, itemsOf),
  'array of integer': listReader<List<bigint>>('array of integer', DuckDBListVector, itemsOf),
  'array of number': listReader<List<number>>('array of number', DuckDBListVector, itemsOf),
};

function itemsOf<T>(vector: object): T {
  return (vector as { items: T }).items;
}

/** The driver copies what it hands out, so that this memory belongs to the vector alone. */
function memoryOf(vector: ColumnVector): ArrayBuffer | null {
  if (vector instanceof MaskedVector) return vector.values.buffer;
  return vector instanceof TextVector ? vector.memory : null;
}

export function readBatch(columns: readonly Column[], chunk: DuckDBDataChunk): ColumnBatch {
  const vectors = columns.map((column, c) =>
    READERS[column.dataType](chunk.getColumnVector(c), chunk),
  );
  return {
    rowCount: chunk.rowCount,
    columns: vectors,
    release: () => {
      for (const vector of vectors) memoryOf(vector)?.transfer(0);
    },
  };
}
