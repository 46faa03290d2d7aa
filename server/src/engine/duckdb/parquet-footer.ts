/** Changes what a Parquet file says of itself, in its footer, and leaves its pages alone. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { atPath } from '../../base/failure-text.ts';
import {
  BOOLEAN_FALSE,
  BOOLEAN_TRUE,
  decodeThrift,
  encodeThrift,
  type ThriftList,
  type ThriftStruct,
  type ThriftValue,
  withFields,
} from './thrift-compact.ts';

const MAGIC = 'PAR1';
const TRAILER_BYTES = 8;
const FOOTER_BYTES_MAX = 268_435_456;

/** Field numbers of Parquet's metadata. */
export const FILE = { schema: 2, rowGroups: 4, columnOrders: 7 } as const;
export const ELEMENT = {
  type: 1,
  name: 4,
  childCount: 5,
  convertedType: 6,
  fieldId: 9,
  logicalType: 10,
} as const;
export const ROW_GROUP = { columns: 1 } as const;
export const CHUNK = { metadata: 3 } as const;
export const CHUNK_METADATA = { path: 3 } as const;
const LOGICAL_TIMESTAMP = 8;
const TIMESTAMP = { isUtc: 1, unit: 2 } as const;
const UNIT_NANOS = 3;

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
  return structOf(logical?.fields.get(LOGICAL_TIMESTAMP));
}

/** Whether a column of nanoseconds is marked as UTC; null: it is another kind of column. */
export function utcMark(element: ThriftStruct): boolean | null {
  const timestamp = timestampOf(element);
  const unit = structOf(timestamp?.fields.get(TIMESTAMP.unit));
  if (!timestamp || !unit?.fields.has(UNIT_NANOS)) return null;
  return timestamp.fields.get(TIMESTAMP.isUtc)?.type === BOOLEAN_TRUE;
}

/** A column of nanoseconds, marked as UTC or not. */
export function withUtcMark(element: ThriftStruct, isUtc: boolean): ThriftStruct {
  const timestamp = timestampOf(element) as ThriftStruct;
  const type = isUtc ? BOOLEAN_TRUE : BOOLEAN_FALSE;
  const marked = withFields(timestamp, { [TIMESTAMP.isUtc]: { type, bytes: Buffer.alloc(0) } });
  const logical = structOf(element.fields.get(ELEMENT.logicalType)) as ThriftStruct;
  return withFields(element, {
    [ELEMENT.logicalType]: withFields(logical, { [LOGICAL_TIMESTAMP]: marked }),
  });
}

function readExactly(descriptor: number, size: number, position: number): Buffer {
  const isInside = position >= 0;
  const buffer = Buffer.alloc(isInside ? size : 0);
  if (isInside && readSync(descriptor, buffer, 0, size, position) === size) return buffer;
  throw new Error('the file is cut off');
}

interface FoundFooter {
  readonly position: number;
  readonly footer: ThriftStruct;
}

function findFooter(descriptor: number): FoundFooter {
  const { size } = fstatSync(descriptor);
  const trailer = readExactly(descriptor, TRAILER_BYTES, size - TRAILER_BYTES);
  if (trailer.toString('latin1', 4) !== MAGIC) throw new Error('the file has no footer');
  const footerBytes = trailer.readUInt32LE(0);
  if (footerBytes > FOOTER_BYTES_MAX) throw new Error('the footer is too long');
  const position = size - TRAILER_BYTES - footerBytes;
  return { position, footer: decodeThrift(readExactly(descriptor, footerBytes, position)) };
}

/** Writes another footer in place of the file's own; a crash on the way leaves no readable file. */
export function editFooter(file: string, edit: (footer: ThriftStruct) => ThriftStruct): void {
  const descriptor = openSync(file, 'r+');
  try {
    const { position, footer } = findFooter(descriptor);
    const edited = encodeThrift(edit(footer));
    const trailer = Buffer.alloc(TRAILER_BYTES, MAGIC, 'latin1');
    trailer.writeUInt32LE(edited.length);
    trailer.write(MAGIC, 4, 'latin1');
    const bytes = Buffer.concat([edited, trailer]);
    if (writeSync(descriptor, bytes, 0, bytes.length, position) !== bytes.length) {
      throw new Error(`${file} could not be written whole`);
    }
    ftruncateSync(descriptor, position + bytes.length);
  } catch (error) {
    throw atPath(file, error);
  } finally {
    closeSync(descriptor);
  }
}
