/** Changes what a Parquet file says of itself, in its footer, and leaves its pages alone. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { atPath } from '../../../base/failure-text.ts';
import type { FileReading } from '../part-files.ts';
import {
  BOOLEAN_TRUE,
  boolean,
  decodeThrift,
  encodeThrift,
  type ThriftList,
  type ThriftStruct,
  type ThriftValue,
  withFields,
} from './thrift.ts';

/** Field numbers and enumerations of Parquet's metadata, as its Thrift definition has them. */

export const FILE = {
  version: 1,
  schema: 2,
  rowCount: 3,
  rowGroups: 4,
  keyValues: 5,
  createdBy: 6,
  columnOrders: 7,
} as const;

export const ELEMENT = {
  type: 1,
  typeLength: 2,
  repetition: 3,
  name: 4,
  childCount: 5,
  convertedType: 6,
  scale: 7,
  precision: 8,
  fieldId: 9,
  logicalType: 10,
} as const;

export const ROW_GROUP = {
  columns: 1,
  byteCount: 2,
  rowCount: 3,
  fileOffset: 5,
  compressedByteCount: 6,
  ordinal: 7,
} as const;

export const CHUNK = { fileOffset: 2, metadata: 3 } as const;

export const CHUNK_METADATA = {
  type: 1,
  path: 3,
  byteCount: 6,
  compressedByteCount: 7,
  keyValues: 8,
  dataPageOffset: 9,
  indexPageOffset: 10,
  dictionaryPageOffset: 11,
  statistics: 12,
  bloomFilterOffset: 14,
  bloomFilterLength: 15,
} as const;

export const STATISTICS = {
  nullCount: 3,
  max: 5,
  min: 6,
  isMaxExact: 7,
  isMinExact: 8,
} as const;

export const KEY_VALUE = { key: 1, value: 2 } as const;
export const COLUMN_ORDER = { ofType: 1 } as const;

export const PHYSICAL = {
  boolean: 0,
  int32: 1,
  int64: 2,
  int96: 3,
  double: 5,
  byteArray: 6,
  fixedLengthByteArray: 7,
} as const;

export const REPETITION = { required: 0, optional: 1, repeated: 2 } as const;
export const CONVERTED = { utf8: 0, list: 3, decimal: 5, date: 6, timestampMicros: 10 } as const;
export const LOGICAL = { string: 1, list: 3, decimal: 5, date: 6, timestamp: 8 } as const;
export const DECIMAL = { scale: 1, precision: 2 } as const;
export const TIMESTAMP = { isUtc: 1, unit: 2 } as const;
export const UNIT = { micros: 2, nanos: 3 } as const;

export const MAGIC = 'PAR1';
const TRAILER_BYTES = 8;
const FOOTER_BYTES_MAX = 268_435_456;

export function structOf(value: ThriftValue | undefined): ThriftStruct | null {
  return value && 'fields' in value ? value : null;
}

/** The structs of a list field; none where the field is missing. */
export function structsOf(struct: ThriftStruct, field: number): readonly ThriftStruct[] {
  const list = struct.fields.get(field);
  return list && 'elements' in list ? (list.elements as readonly ThriftStruct[]) : [];
}

/** The list in a field with other elements. */
export function listWith(
  struct: ThriftStruct,
  field: number,
  elements: readonly ThriftValue[],
): ThriftList {
  return { ...(struct.fields.get(field) as ThriftList), elements };
}

export function textOf(value: ThriftValue | undefined): string {
  return value && 'bytes' in value ? value.bytes.toString() : '';
}

function timestampOf(element: ThriftStruct): ThriftStruct | null {
  const logical = structOf(element.fields.get(ELEMENT.logicalType));
  return structOf(logical?.fields.get(LOGICAL.timestamp));
}

/** True if a column of nanoseconds is marked as UTC; null for other columns. */
export function utcMark(element: ThriftStruct): boolean | null {
  const timestamp = timestampOf(element);
  const unit = structOf(timestamp?.fields.get(TIMESTAMP.unit));
  if (!timestamp || !unit?.fields.has(UNIT.nanos)) return null;
  return timestamp.fields.get(TIMESTAMP.isUtc)?.type === BOOLEAN_TRUE;
}

/** A column of nanoseconds, marked as UTC or not. */
export function withUtcMark(element: ThriftStruct, isUtc: boolean): ThriftStruct {
  const timestamp = timestampOf(element) as ThriftStruct;
  const marked = withFields(timestamp, { [TIMESTAMP.isUtc]: boolean(isUtc) });
  const logical = structOf(element.fields.get(ELEMENT.logicalType)) as ThriftStruct;
  return withFields(element, {
    [ELEMENT.logicalType]: withFields(logical, { [LOGICAL.timestamp]: marked }),
  });
}

/** The error of a file whose end is missing. */
export function cutOff(): Error {
  return new Error('the file is cut off');
}

/** The length of the footer, from the last bytes of a file. */
function footerLength(trailer: Buffer): number {
  if (trailer.toString('latin1', 4) !== MAGIC) throw new Error('the file has no footer');
  const length = trailer.readUInt32LE(0);
  if (length > FOOTER_BYTES_MAX) throw new Error('the footer is too long');
  return length;
}

function readExactly(descriptor: number, size: number, position: number): Buffer {
  const isInside = position >= 0;
  const buffer = Buffer.alloc(isInside ? size : 0);
  if (isInside && readSync(descriptor, buffer, 0, size, position) === size) return buffer;
  throw cutOff();
}

interface FoundFooter {
  readonly position: number;
  readonly footer: ThriftStruct;
}

function findFooter(descriptor: number): FoundFooter {
  const { size } = fstatSync(descriptor);
  const trailer = readExactly(descriptor, TRAILER_BYTES, size - TRAILER_BYTES);
  const length = footerLength(trailer);
  const position = size - TRAILER_BYTES - length;
  return { position, footer: decodeThrift(readExactly(descriptor, length, position)) };
}

/** A footer as it ends a file. */
export function footerBytes(footer: ThriftStruct): Buffer {
  const encoded = encodeThrift(footer);
  const trailer = Buffer.alloc(TRAILER_BYTES, MAGIC, 'latin1');
  trailer.writeUInt32LE(encoded.length);
  trailer.write(MAGIC, 4, 'latin1');
  return Buffer.concat([encoded, trailer]);
}

/**
 * Writes another footer in place of the file's own, which it returns; a crash on the way leaves no
 * readable file.
 */
export function editFooter(
  file: string,
  edit: (footer: ThriftStruct) => ThriftStruct,
): ThriftStruct {
  const descriptor = openSync(file, 'r+');
  try {
    const { position, footer } = findFooter(descriptor);
    const edited = edit(footer);
    if (edited === footer) return footer;
    const bytes = footerBytes(edited);
    if (writeSync(descriptor, bytes, 0, bytes.length, position) !== bytes.length) {
      throw new Error(`${file} could not be written whole`);
    }
    ftruncateSync(descriptor, position + bytes.length);
    return footer;
  } catch (error) {
    throw atPath(file, error);
  } finally {
    closeSync(descriptor);
  }
}

/** The encoded footer of a file in memory. */
export function footerOf(bytes: Buffer): Buffer {
  const end = bytes.length - TRAILER_BYTES;
  if (end < 0) throw cutOff();
  return bytes.subarray(end - footerLength(bytes.subarray(end)), end);
}

/** Most footers are shorter, and are read at once with their length. */
const LIKELY_BYTES = 65_536;

interface FoundFooterBytes {
  /** Bytes of the whole file. */
  readonly fileByteCount: number;
  /** The encoded footer. */
  readonly footer: Buffer;
}

/** The footer of a file, wherever that lies. */
export async function readFooter(files: FileReading, file: string): Promise<FoundFooterBytes> {
  try {
    const { byteCount, bytes } = await files.tail(file, LIKELY_BYTES);
    if (bytes.length < TRAILER_BYTES) throw cutOff();
    const end = bytes.length - TRAILER_BYTES;
    const length = footerLength(bytes.subarray(end));
    if (length <= end) {
      return { fileByteCount: byteCount, footer: bytes.subarray(end - length, end) };
    }
    const fileEnd = byteCount - TRAILER_BYTES;
    if (length > fileEnd) throw cutOff();
    const footer = await files.read(file, fileEnd - length, fileEnd);
    return { fileByteCount: byteCount, footer };
  } catch (error) {
    throw atPath(file, error);
  }
}
