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
import type { Column, DataType } from '../../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector, ListedVector } from '../columns.ts';

interface ValidityMask {
  /** One bit for each row, 1 where it has a value; null where every row has one. */
  readonly data: BigUint64Array | null;
}

/** The vector classes keep their mask private; reading it at once is what makes this fast. */
function nullsOf(vector: { itemCount: number }): Uint8Array | null {
  const { data } = (vector as unknown as { validity: ValidityMask }).validity;
  if (data === null) return null;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const nulls = new Uint8Array(vector.itemCount);
  for (let i = 0; i < nulls.length; i++) {
    nulls[i] = 1 - (((bytes[i >> 3] as number) >> (i & 7)) & 1);
  }
  return nulls;
}

const CACHE_SLOTS = 64;
const INLINE_BYTES_MAX = 12;

/**
 * Reads 16-byte string headers. Strings of up to 12 bytes stand in the header itself; few distinct
 * ones repeat over most rows (tickers, venues, event types), so a small cache saves the decoding.
 */
function stringsOf(vector: DuckDBVarCharVector): (string | null)[] {
  const nulls = nullsOf(vector);
  const { dataView } = vector as unknown as { dataView: DataView };
  const words = new Int32Array(dataView.buffer, dataView.byteOffset, vector.itemCount * 4);
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
    if (w0 > INLINE_BYTES_MAX) {
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

type VectorReader = (vector: DuckDBVector) => ColumnVector;

function expectVector<T>(vector: DuckDBVector, kind: abstract new (...args: never[]) => T): T {
  if (vector instanceof kind) return vector;
  throw new Error(`expected ${kind.name}, the file holds ${vector.constructor.name}`);
}

/** Files hold times as integers, too. */
function integerReader(type: 'integer' | 'date-time'): VectorReader {
  return (vector) => {
    const typed = expectVector(vector, DuckDBBigIntVector);
    return { type, values: itemsOf<BigInt64Array>(typed), nulls: nullsOf(typed) };
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
function readDecimals(vector: DuckDBVector): ColumnVector {
  const reader = DECIMAL_READERS.find(([kind]) => vector instanceof kind)?.[1];
  if (!reader) throw new Error(`expected decimals, the file holds ${vector.constructor.name}`);
  return reader(vector);
}

const READERS: Record<DataType, VectorReader> = {
  integer: integerReader('integer'),
  'date-time': integerReader('date-time'),
  number: (vector) => {
    const typed = expectVector(vector, DuckDBDoubleVector);
    return { type: 'number', values: itemsOf<Float64Array>(typed), nulls: nullsOf(typed) };
  },
  date: (vector) => {
    const typed = expectVector(vector, DuckDBDateVector);
    return { type: 'date', values: itemsOf<Int32Array>(typed), nulls: nullsOf(typed) };
  },
  string: (vector) => ({
    type: 'string',
    values: stringsOf(expectVector(vector, DuckDBVarCharVector)),
  }),
  decimal: readDecimals,
  boolean: listReader<boolean>('boolean', DuckDBBooleanVector, (item) => item),
  'array of string': listReader<List<string>>('array of string', DuckDBListVector, itemsOf),
  'array of integer': listReader<List<bigint>>('array of integer', DuckDBListVector, itemsOf),
  'array of number': listReader<List<number>>('array of number', DuckDBListVector, itemsOf),
};

function itemsOf<T>(vector: object): T {
  return (vector as { items: T }).items;
}

export function readBatch(columns: readonly Column[], chunk: DuckDBDataChunk): ColumnBatch {
  return {
    rowCount: chunk.rowCount,
    columns: columns.map((column, c) => READERS[column.dataType](chunk.getColumnVector(c))),
  };
}
