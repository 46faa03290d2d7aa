/** Parquet files, which the engine makes itself: most of it may lie in its own files, and is sent from there. */
import type { StoredBytes } from '../base/stored-bytes.ts';
import type { RowSource } from '../engine/row-source.ts';
import type { Format, WrittenPage } from './format.ts';
import { columnarRowLimits } from './settings.ts';

/** What lies in memory anyway is one buffer, which the page cache keeps. */
function bodyOf(bytes: StoredBytes): Buffer | StoredBytes {
  const pieces = bytes.stretches.flatMap((stretch) => ('bytes' in stretch ? [stretch.bytes] : []));
  if (pieces.length < bytes.stretches.length) return bytes;
  bytes.release();
  return Buffer.concat(pieces);
}

async function write(source: RowSource): Promise<WrittenPage> {
  const { bytes, ...counts } = await source.parquet();
  return { body: bodyOf(bytes), ...counts };
}

export const PARQUET_FORMAT: Format = {
  name: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  fileSuffix: '.parquet',
  rowLimits: columnarRowLimits,
  pagination: 'in headers',
  encodings: [],
  isLabelled: true,
  tagStrength: 'strong',
  bodySchema: () => ({ type: 'string', format: 'binary' }),
  write,
};
