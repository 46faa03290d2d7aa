/**
 * Rows in ClickHouse's format ArrowStream, as vectors. The columns' types have to be those that
 * were asked for, and the stream has to end as such: an error text in its middle is no answer.
 */
import type { Data, Decimal, Field, RecordBatch } from 'apache-arrow';
import type { Column, DataType } from '../../catalog/dataset.ts';
import { END_OF_STREAM } from '../../formats/arrow/messages.ts';
import type { CellValue, ColumnBatch, ColumnVector } from '../columns.ts';

/** The server wrote something else into a stream than the rows that are due. */
export class BrokenStreamError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenStreamError';
  }
}

export type AnsweredColumn = Pick<Column, 'name' | 'dataType' | 'scale'>;

/** Bytes at the end of a stream that are kept: an error text stands there in place of the end. */
const TAIL_BYTES = 4096;
const ERROR_TEXT = /Code: \d+\. DB::.*/s;
const TEXT_SHOWN = 500;

/** Passes chunks on, and knows the last bytes of them and why they fail. */
class WatchedStream {
  #tail: Buffer = Buffer.alloc(0);
  #failure: { readonly error: unknown } | null = null;

  async *read(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of chunks) {
        const end = chunk.subarray(-TAIL_BYTES);
        this.#tail = Buffer.concat([this.#tail, end]).subarray(-TAIL_BYTES);
        yield chunk;
      }
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  requireEnd(): void {
    const isWhole = this.#tail.subarray(-END_OF_STREAM.length).equals(END_OF_STREAM);
    if (!isWhole) throw new Error('the answer does not end with its last message');
  }

  /** The stream's own failure. After any other its bytes are no rows, and none of them is shown. */
  failureOf(error: unknown): unknown {
    if (this.#failure) return this.#failure.error;
    const told = ERROR_TEXT.exec(`${this.#tail}`)?.[0].slice(0, TEXT_SHOWN);
    return new BrokenStreamError(told ? `the server broke off: ${told}` : (error as Error).message);
  }
}

const DUE_TYPES: Readonly<Record<DataType, (column: AnsweredColumn) => string>> = {
  string: () => 'text',
  integer: () => 'Int64',
  number: () => 'Float64',
  decimal: ({ scale = 0 }) => `Decimal128 ${scale}`,
  boolean: () => 'Bool',
  date: () => 'Int32',
  'date-time': () => 'Int64',
  'array of string': () => 'List<text>',
  'array of integer': () => 'List<Int64>',
  'array of number': () => 'List<Float64>',
};

function typeName({ type }: Field): string {
  const { scale, bitWidth } = type as Partial<Decimal>;
  if (scale !== undefined) return `Decimal${bitWidth} ${scale}`;
  return `${type}`.replace(/Utf8|Binary/, 'text');
}

function requireTypes(fields: readonly Field[], columns: readonly AnsweredColumn[]): void {
  const types = fields.map(typeName).join(', ');
  const due = columns.map((column) => DUE_TYPES[column.dataType](column)).join(', ');
  if (types !== due) throw new Error(`the answer has columns of ${types}, where ${due} are due`);
}

function bitAt(bits: Uint8Array, row: number): number {
  return ((bits[row >> 3] as number) >> (row & 7)) & 1;
}

function validBitsOf({ nullCount, nullBitmap }: Data): Uint8Array | null {
  return nullCount > 0 ? nullBitmap : null;
}

function nullsOf(validBits: Uint8Array | null, count: number): Uint8Array | null {
  if (validBits === null) return null;
  return Uint8Array.from({ length: count }, (_, row) => 1 - bitAt(validBits, row));
}

const HASH_FACTOR = 31;
/** Texts of a column that are remembered: a power of two. */
const REMEMBERED = 256;
const SLOT_MASK = REMEMBERED - 1;

function isEqual(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** A hash of a text's length and of its first, middle and last byte. */
function slotOf(bytes: Uint8Array, at: number, length: number): number {
  if (length === 0) return 0;
  const first = bytes[at] as number;
  const middle = bytes[at + (length >> 1)] as number;
  const last = bytes[at + length - 1] as number;
  return (((length * HASH_FACTOR + first) * HASH_FACTOR + middle) * HASH_FACTOR + last) & SLOT_MASK;
}

/** Few texts of a column differ: an equal one that was met shortly before is the same string. */
function textsOf(bytes: Buffer, offsets: Int32Array, count: number): string[] {
  const texts: string[] = new Array(count);
  const [ats, lengths] = [new Uint32Array(REMEMBERED), new Uint32Array(REMEMBERED)];
  const met: string[] = new Array(REMEMBERED).fill('');
  for (let i = 0; i < count; i++) {
    const at = offsets[i] as number;
    const length = (offsets[i + 1] as number) - at;
    const slot = slotOf(bytes, at, length);
    if (lengths[slot] !== length || !isEqual(bytes, ats[slot] as number, at, length)) {
      met[slot] = bytes.toString('utf8', at, at + length);
      lengths[slot] = length;
    }
    ats[slot] = at;
    texts[i] = met[slot] as string;
  }
  return texts;
}

type ReadVector = (data: Data) => ColumnVector;
type ReadItems = (data: Data) => CellValue[];

/** Numbers as the library has them. */
function masked(type: ColumnVector['type']): ReadVector {
  return (data) => {
    const { length, values } = data;
    const validBits = validBitsOf(data);
    const nulls = nullsOf(validBits, length);
    return { type, values: values.subarray(0, length), nulls, validBits } as ColumnVector;
  };
}

/** Vectors whose nulls stand among their values. */
function listed(type: ColumnVector['type'], read: ReadItems): ReadVector {
  return (data) => {
    const values = read(data);
    const validBits = validBitsOf(data);
    if (validBits) {
      for (let row = 0; row < data.length; row++) if (!bitAt(validBits, row)) values[row] = null;
    }
    return { type, values } as ColumnVector;
  };
}

const readTexts: ReadItems = ({ values, valueOffsets, length }) =>
  textsOf(Buffer.from(values.buffer, values.byteOffset, values.length), valueOffsets, length);

const LANE_BITS = 64n;

const readDecimals: ReadItems = ({ values: { buffer, byteOffset }, length }) => {
  const lanes = new BigInt64Array(buffer, byteOffset, 2 * length);
  return Array.from({ length }, (_, row) => {
    const [lower, upper] = [lanes[2 * row] as bigint, lanes[2 * row + 1] as bigint];
    // Nearly all fit into the lower half.
    if (upper === lower >> (LANE_BITS - 1n)) return lower;
    return (upper << LANE_BITS) | BigInt.asUintN(64, lower);
  });
};

const readFlags: ReadItems = ({ values, length }) =>
  Array.from({ length }, (_, row) => bitAt(values, row) === 1);

const readNumbers: ReadItems = ({ values, length }) => Array.from(values.subarray(0, length));

/** There are no nullable arrays: one whose only item is null stands for none. */
function lists(type: ColumnVector['type'], read: ReadItems): ReadVector {
  return ({ length, valueOffsets, children: [child] }) => {
    const data = child as Data;
    const validBits = validBitsOf(data);
    const items = read(data);
    const values = Array.from({ length }, (_, row) => {
      const [start, end] = [valueOffsets[row] as number, valueOffsets[row + 1] as number];
      const isNull = validBits && end === start + 1 && bitAt(validBits, start) === 0;
      return isNull ? null : items.slice(start, end);
    });
    return { type, values } as unknown as ColumnVector;
  };
}

const READERS: Readonly<Record<DataType, ReadVector>> = {
  integer: masked('integer'),
  'date-time': masked('date-time'),
  number: masked('number'),
  date: masked('date'),
  string: listed('string', readTexts),
  decimal: listed('decimal', readDecimals),
  boolean: listed('boolean', readFlags),
  'array of string': lists('array of string', readTexts),
  'array of integer': lists('array of integer', readNumbers),
  'array of number': lists('array of number', readNumbers),
};

function batchOf({ numRows, data }: RecordBatch, columns: readonly AnsweredColumn[]): ColumnBatch {
  const vectors = columns.map(({ dataType }, c) => READERS[dataType](data.children[c] as Data));
  return { rowCount: numRows, columns: vectors };
}

/** Reads a stream of these columns. Rejects with a `BrokenStreamError`. */
export async function* arrowBatches(
  chunks: AsyncIterable<Buffer>,
  columns: readonly AnsweredColumn[],
): AsyncGenerator<ColumnBatch> {
  // Nobody else needs the library, which takes a while to be loaded.
  const { RecordBatchReader } = await import('apache-arrow');
  const watched = new WatchedStream();
  const stream = watched.read(chunks);
  try {
    const reader = await RecordBatchReader.from(stream);
    const { schema } = await reader.open({ autoDestroy: false });
    requireTypes(schema?.fields ?? [], columns);
    for await (const batch of reader) if (batch.numRows > 0) yield batchOf(batch, columns);
    // Nothing may follow the last message.
    for await (const _ of stream);
    watched.requireEnd();
  } catch (error) {
    throw watched.failureOf(error);
  } finally {
    await stream.return(undefined);
  }
}
