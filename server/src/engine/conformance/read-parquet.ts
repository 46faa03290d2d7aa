/** Reads Parquet files of answers with a reader that shares nothing with any engine. */
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { StoredBytes } from '../../base/stored-bytes.ts';
import type { Column } from '../../catalog/dataset.ts';
import { type CellValue, dateOfDays } from '../columns.ts';
import type { Row } from './select-rows.ts';

export interface ReadFile {
  readonly metadata: FileMetaData;
  readonly rows: readonly Row[];
}

function unitsOf(bytes: Uint8Array): bigint {
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

function cellOf(value: unknown, { dataType }: Column): CellValue {
  if (value === undefined || value === null) return null;
  if (dataType !== 'decimal') return value as CellValue;
  return value instanceof Uint8Array ? unitsOf(value) : BigInt(value as number | bigint);
}

/** The reader would make doubles of decimals. */
function withPlainDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map(({ converted_type, logical_type, ...element }) => ({
    ...element,
    ...(converted_type !== undefined && converted_type !== 'DECIMAL' && { converted_type }),
    ...(logical_type !== undefined && logical_type.type !== 'DECIMAL' && { logical_type }),
  }));
  return { ...metadata, schema };
}

/** The rows of a file with the columns, cells as those of column batches. */
export async function readParquet(columns: readonly Column[], bytes: Buffer): Promise<ReadFile> {
  const own = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(own);
  const objects = await parquetReadObjects({
    file: own,
    metadata: withPlainDecimals(metadata),
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
    parsers: {
      timestampFromNanoseconds: (nanos) => nanos as unknown as Date,
      timestampFromMicroseconds: (micros) => micros as unknown as Date,
      dateFromDays: (days) => dateOfDays(days) as unknown as Date,
    },
  });
  const rows = objects.map((object) => columns.map((each) => cellOf(object[each.name], each)));
  return { metadata, rows };
}

/** All bytes, read once. */
export async function allBytes(bytes: StoredBytes): Promise<Buffer> {
  return await buffer(bytes.stream());
}
