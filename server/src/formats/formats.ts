/** The formats of answers. Requests, pages, forms and the OpenAPI document go by this table. */

import type { StoredBytes } from '../base/stored-bytes.ts';
import type { RowSource } from '../engine/row-source.ts';
import { ARROW_FORMAT } from './arrow/arrow.ts';
import { CSV_FORMAT, CSV_GZIP_FORMAT } from './csv.ts';
import type { Format, WrittenPage } from './format.ts';
import { JSON_FORMAT } from './json.ts';
import { columnarRowLimits } from './settings.ts';

/** Joins a file that is wholly in memory, so that the page cache keeps it. */
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

const PARQUET_FORMAT: Format = {
  name: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  fileSuffix: '.parquet',
  rowLimits: columnarRowLimits,
  pagination: 'in headers',
  encodings: [],
  isColumnar: true,
  tagStrength: 'strong',
  bodySchema: () => ({ type: 'string', format: 'binary' }),
  write,
};

/** The first one is the default. */
export const FORMATS: readonly [Format, ...Format[]] = [
  JSON_FORMAT,
  CSV_FORMAT,
  CSV_GZIP_FORMAT,
  ARROW_FORMAT,
  PARQUET_FORMAT,
];
