/** Bounds of a column in a row group, as its chunk's statistics have them. Pure. */
import type { Column, DataType } from '../../catalog/dataset.ts';
import { dateOfDays } from '../columns.ts';
import type { BoundValue, ColumnBounds } from '../part.ts';
import { CHUNK_METADATA, STATISTICS } from './parquet-fields.ts';
import { structOf } from './parquet-footer.ts';
import { BOOLEAN_TRUE, numberOf, type ThriftScalar, type ThriftStruct } from './thrift-compact.ts';

/** Least and greatest value that is not null, and whether any is null. */
export interface ChunkBounds extends ColumnBounds {
  readonly hasNulls: boolean;
}

/** Of the years 1 to 9999, whose texts are in their order. */
const DAYS = { min: -719_162, max: 2_932_896 } as const;

function dateOf(bytes: Buffer): BoundValue | null {
  const days = bytes.readInt32LE();
  return days < DAYS.min || days > DAYS.max ? null : dateOfDays(days);
}

/** How a bound is encoded, of the types whose bounds are told apart without doubt. */
const DECODERS: Readonly<Partial<Record<DataType, (bytes: Buffer) => BoundValue | null>>> = {
  string: (bytes) => bytes.toString(),
  integer: (bytes) => bytes.readBigInt64LE(),
  'date-time': (bytes) => bytes.readBigInt64LE(),
  date: dateOf,
};

function boundOf(
  { fields }: ThriftStruct,
  field: number,
  exactField: number,
  decode: (bytes: Buffer) => BoundValue | null,
): BoundValue | null {
  const bound = fields.get(field) as ThriftScalar | undefined;
  if (!bound || fields.get(exactField)?.type !== BOOLEAN_TRUE) return null;
  return decode(bound.bytes);
}

/** Null where they are not known, or not exactly. */
export function chunkBounds({ dataType }: Column, metadata: ThriftStruct): ChunkBounds | null {
  const decode = DECODERS[dataType];
  const statistics = structOf(metadata.fields.get(CHUNK_METADATA.statistics));
  const nulls = statistics?.fields.get(STATISTICS.nullCount) as ThriftScalar | undefined;
  if (!decode || !statistics || !nulls) return null;
  const min = boundOf(statistics, STATISTICS.min, STATISTICS.isMinExact, decode);
  const max = boundOf(statistics, STATISTICS.max, STATISTICS.isMaxExact, decode);
  return min === null || max === null ? null : { min, max, hasNulls: numberOf(nulls) > 0 };
}
