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
import { MaskedVector } from './masked-vector.ts';
import { TextVector } from './text-vector.ts';

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
