/** Copies batches into a stage's table: typed arrays go into the engine's vectors as a whole. */
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  type DuckDBAppender,
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
import { decimalDigits } from '../../catalog/column-types.ts';
import type { Column, DataType } from '../../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector, ListedVector } from '../columns.ts';
import { setStrings } from './stage-strings.ts';

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

type Item = NonNullable<ListedVector['values'][number]>;

/** A value as the engine's vectors take it one by one. */
function itemOf(item: Item, column: Column): DuckDBValue {
  if (typeof item === 'object') return listValue([...item]);
  if (column.dataType !== 'decimal') return item;
  const { precision, scale } = decimalDigits(column);
  return new DuckDBDecimalValue(item as bigint, precision, scale);
}

type TypedValues = BigInt64Array | Float64Array | Int32Array;

/** The fields inside a vector of fixed-width values, which its class hides; its release is pinned. */
interface RawVector {
  readonly items: { set(values: TypedValues): void };
  readonly validity: { data: BigUint64Array | null };
  flush(): void;
}

function validityMask(nulls: Uint8Array): BigUint64Array {
  const bytes = new Uint8Array(CHUNK_ROWS / 8).fill(0xff);
  for (let i = 0; i < nulls.length; i++) {
    if (nulls[i] !== 0) bytes[i >> 3] = (bytes[i >> 3] as number) & ~(1 << (i & 7));
  }
  return new BigUint64Array(bytes.buffer);
}

function setTyped(target: DuckDBVector, values: TypedValues, nulls: Uint8Array | null): void {
  const raw = target as unknown as RawVector;
  raw.items.set(values);
  if (nulls !== null) raw.validity.data = validityMask(nulls);
  raw.flush();
}

function setVector(
  target: DuckDBVector,
  source: ColumnVector,
  column: Column,
  start: number,
  end: number,
): void {
  if (source.type === 'string') {
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
    );
  }

  append(batch: ColumnBatch): void {
    this.#check(batch);
    for (let start = 0; start < batch.rowCount; start += CHUNK_ROWS) {
      const end = Math.min(start + CHUNK_ROWS, batch.rowCount);
      this.#chunk.reset();
      this.#chunk.rowCount = end - start;
      batch.columns.forEach((source, c) => {
        setVector(this.#chunk.getColumnVector(c), source, this.#columns[c] as Column, start, end);
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
