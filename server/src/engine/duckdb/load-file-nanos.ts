/**
 * Parquet files whose nanoseconds the engine would cut are read from a copy that calls them something else.
 * Nanoseconds that are marked as UTC it reads as microseconds, unmarked ones whole, so the mark is taken
 * off. Times of 96 bits it reads as microseconds, too; as strings of 12 bytes, it leaves them whole.
 */
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { CHUNK, CHUNK_METADATA, ELEMENT, FILE, PHYSICAL, ROW_GROUP } from './parquet-fields.ts';
import {
  editFooter,
  listWith,
  structOf,
  structsOf,
  utcMark,
  withUtcMark,
} from './parquet-footer.ts';
import {
  int32,
  numberOf,
  type ThriftScalar,
  type ThriftStruct,
  type ThriftValue,
  withFields,
} from './thrift-compact.ts';

const INT96_BYTES = 12;
/** The Julian day of 1970-01-01; days far from it have no nanoseconds in 64 bits. */
const EPOCH_DAY = 2_440_588;
const DAYS_MAX = 100_000;
const DAY_NANOS = 86_400_000_000_000n;

function isInt96(type: ThriftValue | undefined): boolean {
  return type !== undefined && numberOf(type as ThriftScalar) === PHYSICAL.int96;
}

function wholeElement(element: ThriftStruct): ThriftStruct {
  if (utcMark(element)) return withUtcMark(element, false);
  if (!isInt96(element.fields.get(ELEMENT.type))) return element;
  return withFields(element, {
    [ELEMENT.type]: int32(PHYSICAL.fixedLengthByteArray),
    [ELEMENT.typeLength]: int32(INT96_BYTES),
    [ELEMENT.convertedType]: undefined,
    [ELEMENT.logicalType]: undefined,
  });
}

function wholeChunk(chunk: ThriftStruct): ThriftStruct {
  const metadata = structOf(chunk.fields.get(CHUNK.metadata));
  if (!metadata || !isInt96(metadata.fields.get(CHUNK_METADATA.type))) return chunk;
  const whole = withFields(metadata, {
    [CHUNK_METADATA.type]: int32(PHYSICAL.fixedLengthByteArray),
    [CHUNK_METADATA.statistics]: undefined,
  });
  return withFields(chunk, { [CHUNK.metadata]: whole });
}

/** The struct with each element of a list changed. */
function withEach(
  struct: ThriftStruct,
  field: number,
  change: (element: ThriftStruct) => ThriftStruct,
): ThriftStruct {
  const elements = structsOf(struct, field).map(change);
  return elements.length === 0
    ? struct
    : withFields(struct, { [field]: listWith(struct, field, elements) });
}

function wholeNanos(footer: ThriftStruct): ThriftStruct {
  const schema = withEach(footer, FILE.schema, wholeElement);
  return withEach(schema, FILE.rowGroups, (group) =>
    withEach(group, ROW_GROUP.columns, wholeChunk),
  );
}

/** Copies a Parquet file to `target`, in which the engine reads all nanoseconds. */
export async function copyWithWholeNanos(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  editFooter(target, wholeNanos);
}

/** SQL for an integer of some of the bytes of a string, the lowest first. */
function integerSql(value: string, first: number, count: number): string {
  const digits = Array.from({ length: count }, (_, i) => {
    return `substr(hex(${value}), ${2 * (first + count - 1 - i) + 1}, 2)`;
  });
  return `CAST('0x' || ${digits.join(' || ')} AS BIGINT)`;
}

/** SQL for the text of a time of 96 bits in the copy: the nanoseconds of its day, then its Julian day. */
export function int96TextSql(value: string): string {
  const nanos = integerSql(value, 0, 8);
  const day = `(${integerSql(value, 8, 4)} - ${EPOCH_DAY})`;
  return `CASE WHEN abs(${day}) <= ${DAYS_MAX} AND ${nanos} < ${DAY_NANOS}
    THEN CAST(make_timestamp_ns(${day} * ${DAY_NANOS} + ${nanos}) AS VARCHAR) ELSE CAST(${value} AS VARCHAR) END`;
}
