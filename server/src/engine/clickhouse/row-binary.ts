/** Batches as rows of bytes, in ClickHouse's format RowBinary: what is inserted, and what digests are of. */
import type { Column } from '../../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector } from '../columns.ts';
import { bytesOfUnits, type Encoding, encodingOf } from './encodings.ts';

const FIRST_BYTES = 65_536;
const NULL = 1;
const VARINT_BITS = 7;
const VARINT_MORE = 0x80;

/** Bytes that grow as they are written. */
class ByteSink {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  #room(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.#length);
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return at;
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    const at = this.#room(1);
    this.#bytes[at] = value;
  }

  int32(value: number): void {
    const at = this.#room(4);
    this.#bytes.writeInt32LE(value, at);
  }

  int64(value: bigint): void {
    const at = this.#room(8);
    this.#bytes.writeBigInt64LE(value, at);
  }

  double(value: number): void {
    const at = this.#room(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  size(value: number): void {
    let rest = value;
    for (; rest >= VARINT_MORE; rest >>>= VARINT_BITS) this.byte((rest & 0x7f) | VARINT_MORE);
    this.byte(rest);
  }

  bytes(value: Buffer): void {
    this.size(value.length);
    const at = this.#room(value.length);
    value.copy(this.#bytes, at);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.size(length);
    const at = this.#room(length);
    this.#bytes.write(value, at);
  }

  taken(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

type Write = (sink: ByteSink, value: never) => void;

const WRITE: Readonly<Record<Encoding, Write>> = {
  integer: (sink, value: bigint) => sink.int64(value),
  number: (sink, value: number) => sink.double(value),
  days: (sink, value: number) => sink.int32(value),
  flag: (sink, value: boolean) => sink.byte(Number(value)),
  text: (sink, value: string) => sink.text(value),
  units: (sink, value: bigint) => sink.bytes(bytesOfUnits(value)),
  texts: listed((sink, value: string) => sink.text(value)),
  integers: listed((sink, value: bigint) => sink.int64(value)),
  numbers: listed((sink, value: number) => sink.double(value)),
};

/** The sizes of both arrays, then the items. */
function listed<T>(write: (sink: ByteSink, value: T) => void) {
  return (sink: ByteSink, values: readonly T[]) => {
    sink.size(values.length);
    for (const value of values) write(sink, value);
  };
}

function isNull(vector: ColumnVector, row: number): boolean {
  if ('nulls' in vector) return vector.nulls?.[row] === NULL;
  return vector.values[row] === null;
}

type WriteCell = (sink: ByteSink, row: number) => void;

/** A null is flagged by a one; an array's outer one has an item where there is a value. */
function cellWriter(column: Column, vector: ColumnVector): WriteCell {
  const encoding = encodingOf(column);
  const write = WRITE[encoding];
  const [nullMark, valueMark] = vector.type.startsWith('array') ? [0, 1] : [1, 0];
  return (sink, row) => {
    const isMissing = isNull(vector, row);
    sink.byte(isMissing ? nullMark : valueMark);
    if (!isMissing) write(sink, vector.values[row] as never);
  };
}

/** Rows in bytes: an ordinal and the cells of each. */
export interface EncodedRows {
  readonly bytes: Buffer;
  /** Where each row ends. */
  readonly ends: readonly number[];
}

/** The rows of a batch, which has the columns; the first of them has the ordinal `first`. */
export function encodeRows(
  columns: readonly Column[],
  batch: ColumnBatch,
  first: number,
): EncodedRows {
  const sink = new ByteSink();
  const ends: number[] = [];
  const writers = columns.map((column, c) => cellWriter(column, batch.columns[c] as ColumnVector));
  for (let row = 0; row < batch.rowCount; row++) {
    sink.int64(BigInt(first + row));
    for (const write of writers) write(sink, row);
    ends.push(sink.length);
  }
  return { bytes: sink.taken(), ends };
}

const PART_BYTES = 8;

/** The same rows, each with the number of its part before it: as they are inserted. */
export function withPart({ bytes, ends }: EncodedRows, part: bigint): Buffer {
  const prefix = Buffer.alloc(PART_BYTES);
  prefix.writeBigUInt64LE(part);
  const target = Buffer.allocUnsafe(bytes.length + PART_BYTES * ends.length);
  let [from, at] = [0, 0];
  for (const end of ends) {
    prefix.copy(target, at);
    bytes.copy(target, at + PART_BYTES, from, end);
    at += PART_BYTES + end - from;
    from = end;
  }
  return target;
}
