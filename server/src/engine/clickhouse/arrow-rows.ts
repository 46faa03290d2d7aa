/**
 * Rows in ClickHouse's format ArrowStream, as vectors. The columns' types have to be those that
 * were asked for, and the stream has to end as such: an error text in its middle is no answer.
 */
import { Decimal } from 'apache-arrow/fb/decimal';
import type { Field } from 'apache-arrow/fb/field';
import { FloatingPoint } from 'apache-arrow/fb/floating-point';
import { Int } from 'apache-arrow/fb/int';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { Precision } from 'apache-arrow/fb/precision';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema } from 'apache-arrow/fb/schema';
import { Type } from 'apache-arrow/fb/type';
import { ByteBuffer } from 'flatbuffers';
import type { Column, DataType } from '../../catalog/dataset.ts';
import type { CellValue, ColumnBatch, ColumnVector } from '../columns.ts';

/** The server wrote something else into a stream than the rows that are due. */
export class BrokenStreamError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenStreamError';
  }
}

export type AnsweredColumn = Pick<Column, 'name' | 'dataType' | 'scale'>;

const CONTINUATION = 0xffffffff;
const MESSAGE_BYTES_MAX = 1024 ** 3;
const TEXT_SHOWN = 500;

/** Hands out bytes in their own memory, so that numbers are aligned. */
class ByteStream {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Fewer bytes only where the stream ends. */
  async take(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const taken = new Uint8Array(count);
    let at = 0;
    while (at < count) {
      if (this.#chunk.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) return taken.subarray(0, at);
        this.#chunk = value;
      }
      const piece = this.#chunk.subarray(0, count - at);
      taken.set(piece, at);
      this.#chunk = this.#chunk.subarray(piece.length);
      at += piece.length;
    }
    return taken;
  }

  async end(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** A message of the server, and the bytes of the values that it describes. */
interface Sent {
  readonly message: Message;
  readonly body: ArrayBuffer;
}

async function nextMessage(stream: ByteStream): Promise<Sent | null> {
  const head = await stream.take(8);
  const view = new DataView(head.buffer);
  if (head.length < 8) throw new BrokenStreamError('the answer ends before its last message');
  if (view.getUint32(0, true) !== CONTINUATION) {
    const rest = await stream.take(TEXT_SHOWN);
    throw new BrokenStreamError(`the server broke off: ${Buffer.concat([head, rest])}`);
  }
  const length = view.getInt32(4, true);
  if (length === 0) return null;
  const message = Message.getRootAsMessage(new ByteBuffer(await taken(stream, length)));
  const body = await taken(stream, Number(message.bodyLength()));
  return { message, body: body.buffer };
}

async function taken(stream: ByteStream, count: number): Promise<Uint8Array<ArrayBuffer>> {
  if (count > MESSAGE_BYTES_MAX) throw new BrokenStreamError('a message is too large');
  const bytes = await stream.take(count);
  if (bytes.length < count) throw new BrokenStreamError('the answer ends within a message');
  return bytes;
}

function decimalName(field: Field): string {
  const type: Decimal = field.type(new Decimal());
  return `decimal${type.bitWidth()} ${type.scale()}`;
}

function floatName(field: Field): string {
  const type: FloatingPoint = field.type(new FloatingPoint());
  return type.precision() === Precision.DOUBLE ? 'float64' : 'float';
}

const TYPE_NAMES: Readonly<Partial<Record<Type, (field: Field) => string>>> = {
  [Type.Int]: (field) => `int${field.type(new Int()).bitWidth()}`,
  [Type.FloatingPoint]: floatName,
  [Type.Binary]: () => 'text',
  [Type.Utf8]: () => 'text',
  [Type.Bool]: () => 'bool',
  [Type.Decimal]: decimalName,
  [Type.List]: () => 'list of',
};

/** Items from 0 on, as the messages hand them out. */
function all<T>(count: number, itemAt: (index: number) => T | null): T[] {
  return Array.from({ length: count }, (_, index) => itemAt(index) as T);
}

function typeOf(field: Field): string {
  const type = field.typeType();
  const name = TYPE_NAMES[type]?.(field) ?? `type ${type}`;
  const items = all(field.childrenLength(), (index) => field.children(index));
  return [name, ...items.map(typeOf)].join(' ');
}

const DUE_TYPES: Readonly<Record<DataType, (column: AnsweredColumn) => string>> = {
  string: () => 'text',
  integer: () => 'int64',
  number: () => 'float64',
  decimal: ({ scale = 0 }) => `decimal128 ${scale}`,
  boolean: () => 'bool',
  date: () => 'int32',
  'date-time': () => 'int64',
  'array of string': () => 'list of text',
  'array of integer': () => 'list of int64',
  'array of number': () => 'list of float64',
};

function requireTypes(sent: Sent | null, columns: readonly AnsweredColumn[]): void {
  const isSchema = sent?.message.headerType() === MessageHeader.Schema;
  const schema: Schema | null = isSchema ? sent.message.header(new Schema()) : null;
  if (!schema) throw new BrokenStreamError('the answer has no schema');
  const fields = all(schema.fieldsLength(), (index) => schema.fields(index));
  const types = fields.map(typeOf).join(', ');
  const due = columns.map((column) => DUE_TYPES[column.dataType](column)).join(', ');
  if (types !== due) throw new BrokenStreamError(`columns of ${types}, where ${due} are due`);
}

/** Hands out the columns and buffers of a record batch, one after the other. */
class BatchCursor {
  readonly #batch: RecordBatch;
  readonly #body: ArrayBuffer;
  #nodeCount = 0;
  #bufferCount = 0;

  constructor(batch: RecordBatch, body: ArrayBuffer) {
    this.#batch = batch;
    this.#body = body;
  }

  /** The number of values of the next column, or of the items of its lists, and its validity. */
  node(): { readonly count: number; readonly validBits: Uint8Array | null } {
    const node = this.#batch.nodes(this.#nodeCount++);
    const bits = this.bytes();
    const validBits = node?.nullCount() ? bits : null;
    return { count: Number(node?.length() ?? 0), validBits };
  }

  bytes(): Uint8Array {
    const buffer = this.#batch.buffers(this.#bufferCount++);
    const [at, length] = [buffer?.offset() ?? 0, buffer?.length() ?? 0];
    return new Uint8Array(this.#body, Number(at), Number(length));
  }

  int32s(count: number): Int32Array {
    return new Int32Array(this.#body, this.bytes().byteOffset, count);
  }

  int64s(count: number): BigInt64Array {
    return new BigInt64Array(this.#body, this.bytes().byteOffset, count);
  }

  float64s(count: number): Float64Array {
    return new Float64Array(this.#body, this.bytes().byteOffset, count);
  }
}

function bitAt(bits: Uint8Array, row: number): number {
  return ((bits[row >> 3] as number) >> (row & 7)) & 1;
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

type ReadVector = (cursor: BatchCursor) => ColumnVector;

function masked(type: ColumnVector['type'], read: (cursor: BatchCursor, count: number) => unknown) {
  return (cursor: BatchCursor): ColumnVector => {
    const { count, validBits } = cursor.node();
    const values = read(cursor, count);
    return { type, values, nulls: nullsOf(validBits, count), validBits } as ColumnVector;
  };
}

type ReadItems = (cursor: BatchCursor, count: number) => CellValue[];

/** Vectors whose nulls stand among their values. */
function listed(type: ColumnVector['type'], read: ReadItems): ReadVector {
  return (cursor) => {
    const { count, validBits } = cursor.node();
    const values = read(cursor, count);
    if (validBits) {
      for (let row = 0; row < count; row++) if (bitAt(validBits, row) === 0) values[row] = null;
    }
    return { type, values } as ColumnVector;
  };
}

const readTexts: ReadItems = (cursor, count) => {
  const offsets = cursor.int32s(count + 1);
  const { buffer, byteOffset, length } = cursor.bytes();
  return textsOf(Buffer.from(buffer as ArrayBuffer, byteOffset, length), offsets, count);
};

const LANE_BITS = 64n;

const readDecimals: ReadItems = (cursor, count) => {
  const lanes = cursor.int64s(2 * count);
  return Array.from({ length: count }, (_, row) => {
    const [lower, upper] = [lanes[2 * row] as bigint, lanes[2 * row + 1] as bigint];
    // Nearly all fit into the lower half.
    if (upper === lower >> (LANE_BITS - 1n)) return lower;
    return (upper << LANE_BITS) | BigInt.asUintN(64, lower);
  });
};

const readFlags: ReadItems = (cursor, count) => {
  const bits = cursor.bytes();
  return Array.from({ length: count }, (_, row) => bitAt(bits, row) === 1);
};

/** There are no nullable arrays: one whose only item is null stands for none. */
function lists(type: ColumnVector['type'], read: (cursor: BatchCursor, count: number) => unknown) {
  return (cursor: BatchCursor): ColumnVector => {
    const { count } = cursor.node();
    const offsets = cursor.int32s(count + 1);
    const { count: itemCount, validBits } = cursor.node();
    const items = Array.from(read(cursor, itemCount) as ArrayLike<unknown>);
    const values = Array.from({ length: count }, (_, row) => {
      const [start, end] = [offsets[row] as number, offsets[row + 1] as number];
      const isNull = validBits && end === start + 1 && bitAt(validBits, start) === 0;
      return isNull ? null : items.slice(start, end);
    });
    return { type, values } as unknown as ColumnVector;
  };
}

const READERS: Readonly<Record<DataType, ReadVector>> = {
  integer: masked('integer', (cursor, count) => cursor.int64s(count)),
  'date-time': masked('date-time', (cursor, count) => cursor.int64s(count)),
  number: masked('number', (cursor, count) => cursor.float64s(count)),
  date: masked('date', (cursor, count) => cursor.int32s(count)),
  string: listed('string', readTexts),
  decimal: listed('decimal', readDecimals),
  boolean: listed('boolean', readFlags),
  'array of string': lists('array of string', readTexts),
  'array of integer': lists('array of integer', (cursor, count) => cursor.int64s(count)),
  'array of number': lists('array of number', (cursor, count) => cursor.float64s(count)),
};

function batchOf({ message, body }: Sent, columns: readonly AnsweredColumn[]): ColumnBatch {
  const isOfRows = message.headerType() === MessageHeader.RecordBatch;
  const batch: RecordBatch | null = isOfRows ? message.header(new RecordBatch()) : null;
  if (!batch || batch.compression()) {
    throw new BrokenStreamError('the server sent something else than plain rows');
  }
  const cursor = new BatchCursor(batch, body);
  const rowCount = Number(batch.length());
  return { rowCount, columns: columns.map(({ dataType }) => READERS[dataType](cursor)) };
}

/** Reads a stream of these columns. Rejects with a `BrokenStreamError`. */
export async function* arrowBatches(
  chunks: AsyncIterable<Buffer>,
  columns: readonly AnsweredColumn[],
): AsyncGenerator<ColumnBatch> {
  const stream = new ByteStream(chunks);
  try {
    requireTypes(await nextMessage(stream), columns);
    for (let next = await nextMessage(stream); next; next = await nextMessage(stream)) {
      const batch = batchOf(next, columns);
      if (batch.rowCount > 0) yield batch;
    }
    const rest = await stream.take(TEXT_SHOWN);
    if (rest.length > 0) throw new BrokenStreamError(`the server broke off: ${Buffer.from(rest)}`);
  } finally {
    await stream.end();
  }
}
