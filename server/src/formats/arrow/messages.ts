/**
 * The messages of an Arrow stream: a schema, dictionaries, record batches, and the end. Only what
 * describes a message is encoded here, with FlatBuffers; the columns' own bytes follow it as they
 * are.
 */
import { Builder, type Offset } from 'flatbuffers';

/** Written to the builder before the field that has it. */
export type TypeWriter = (builder: Builder) => Offset;

export interface ArrowType {
  /** Number of the type in the format's union of types. */
  readonly typeId: number;
  readonly write: TypeWriter;
  /** Type of a list's elements; null: it is no list. */
  readonly element: ArrowType | null;
}

export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  /** The dictionary that the values are codes of; null: they are the values themselves. */
  readonly dictionaryId: number | null;
}

/** The values of a column, or of the elements of its lists. */
export interface FieldNode {
  readonly length: number;
  readonly nullCount: number;
}

/** Rows, or the texts of a dictionary. */
export interface BatchBody {
  readonly length: number;
  readonly nodes: readonly FieldNode[];
  readonly buffers: readonly Uint8Array[];
}

const VERSION_5 = 4;
const HEADER_TYPES = { schema: 1, dictionaryBatch: 2, recordBatch: 3 } as const;
const ALIGNMENT = 8;
const PADDING = new Uint8Array(ALIGNMENT);
const CONTINUATION = 0xffffffff;

/** No more messages: a continuation of no bytes. */
export const END_OF_STREAM = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/** Bytes of all buffers, each with what fills it up. */
function bodyLength(buffers: readonly Uint8Array[]): number {
  return buffers.reduce((sum, { length }) => sum + aligned(length), 0);
}

function message(
  kind: keyof typeof HEADER_TYPES,
  writeHeader: (builder: Builder) => Offset,
  bodyByteCount: number,
): Buffer {
  const builder = new Builder(1024);
  const header = writeHeader(builder);
  builder.startObject(5);
  builder.addFieldInt16(0, VERSION_5, 0);
  builder.addFieldInt8(1, HEADER_TYPES[kind], 0);
  builder.addFieldOffset(2, header, 0);
  builder.addFieldInt64(3, BigInt(bodyByteCount), 0n);
  builder.finish(builder.endObject());
  const described = builder.asUint8Array();
  const length = aligned(described.length);
  const bytes = Buffer.alloc(ALIGNMENT + length);
  bytes.writeUInt32LE(CONTINUATION, 0);
  bytes.writeInt32LE(length, 4);
  bytes.set(described, ALIGNMENT);
  return bytes;
}

function vectorOf(builder: Builder, offsets: readonly Offset[]): Offset {
  builder.startVector(4, offsets.length, 4);
  for (const offset of offsets.toReversed()) builder.addOffset(offset);
  return builder.endVector();
}

/** A type whose description is a table of these fields, or has none. */
export function tableType(
  typeId: number,
  fieldCount = 0,
  addFields: (builder: Builder) => void = () => undefined,
): ArrowType {
  const write = (builder: Builder) => {
    builder.startObject(fieldCount);
    addFields(builder);
    return builder.endObject();
  };
  return { typeId, write, element: null };
}

const INT = 2;

export function intType(bitWidth: number): ArrowType {
  return tableType(INT, 2, (builder) => {
    builder.addFieldInt32(0, bitWidth, 0);
    builder.addFieldInt8(1, 1, 0);
  });
}

function writeEncoding(builder: Builder, dictionaryId: number): Offset {
  const indexType = intType(32).write(builder);
  builder.startObject(4);
  builder.addFieldInt64(0, BigInt(dictionaryId), 0n);
  builder.addFieldOffset(1, indexType, 0);
  return builder.endObject();
}

function writeField(builder: Builder, { name, type, dictionaryId }: ArrowField): Offset {
  const element = type.element && { name: 'item', type: type.element, dictionaryId: null };
  const children = vectorOf(builder, element ? [writeField(builder, element)] : []);
  const encoding = dictionaryId === null ? 0 : writeEncoding(builder, dictionaryId);
  const typeOffset = type.write(builder);
  const nameOffset = builder.createString(name);
  builder.startObject(7);
  builder.addFieldOffset(0, nameOffset, 0);
  builder.addFieldInt8(1, 1, 0);
  builder.addFieldInt8(2, type.typeId, 0);
  builder.addFieldOffset(3, typeOffset, 0);
  builder.addFieldOffset(4, encoding, 0);
  builder.addFieldOffset(5, children, 0);
  return builder.endObject();
}

function writePair(builder: Builder, key: string, value: string): Offset {
  const [keyOffset, valueOffset] = [builder.createString(key), builder.createString(value)];
  builder.startObject(2);
  builder.addFieldOffset(0, keyOffset, 0);
  builder.addFieldOffset(1, valueOffset, 0);
  return builder.endObject();
}

/** The first message. `labels` are texts about all rows, by their names. */
export function schemaMessage(
  fields: readonly ArrowField[],
  labels: Readonly<Record<string, string>>,
): Buffer {
  const write = (builder: Builder) => {
    const written = fields.map((field) => writeField(builder, field));
    const fieldsOffset = vectorOf(builder, written);
    const pairs = Object.entries(labels).map(([key, value]) => writePair(builder, key, value));
    const pairsOffset = vectorOf(builder, pairs);
    builder.startObject(4);
    builder.addFieldOffset(1, fieldsOffset, 0);
    builder.addFieldOffset(2, pairsOffset, 0);
    return builder.endObject();
  };
  return message('schema', write, 0);
}

/** A vector of structs of two integers. */
function writePairs(builder: Builder, pairs: readonly (readonly [number, number])[]): Offset {
  builder.startVector(16, pairs.length, 8);
  for (const [first, second] of pairs.toReversed()) {
    builder.prep(8, 16);
    builder.writeInt64(BigInt(second));
    builder.writeInt64(BigInt(first));
  }
  return builder.endVector();
}

function placesOf(buffers: readonly Uint8Array[]): [start: number, length: number][] {
  let at = 0;
  return buffers.map(({ length }) => {
    const start = at;
    at += aligned(length);
    return [start, length];
  });
}

function writeBatch(builder: Builder, { length, nodes, buffers }: BatchBody): Offset {
  const places = writePairs(builder, placesOf(buffers));
  const nodePairs = nodes.map((node) => [node.length, node.nullCount] as const);
  const nodesOffset = writePairs(builder, nodePairs);
  builder.startObject(5);
  builder.addFieldInt64(0, BigInt(length), 0n);
  builder.addFieldOffset(1, nodesOffset, 0);
  builder.addFieldOffset(2, places, 0);
  return builder.endObject();
}

/** A message with its body, as pieces that are to be joined. */
function withBody(described: Buffer, buffers: readonly Uint8Array[]): Uint8Array[] {
  const pieces: Uint8Array[] = [described];
  for (const buffer of buffers) {
    if (buffer.length > 0) pieces.push(buffer);
    const missing = aligned(buffer.length) - buffer.length;
    if (missing > 0) pieces.push(PADDING.subarray(0, missing));
  }
  return pieces;
}

export function recordBatch(body: BatchBody): Uint8Array[] {
  const { buffers } = body;
  const write = (builder: Builder) => writeBatch(builder, body);
  return withBody(message('recordBatch', write, bodyLength(buffers)), buffers);
}

export function dictionaryBatch(dictionaryId: number, body: BatchBody): Uint8Array[] {
  const { buffers } = body;
  const write = (builder: Builder) => {
    const data = writeBatch(builder, body);
    builder.startObject(3);
    builder.addFieldInt64(0, BigInt(dictionaryId), 0n);
    builder.addFieldOffset(1, data, 0);
    return builder.endObject();
  };
  return withBody(message('dictionaryBatch', write, bodyLength(buffers)), buffers);
}
