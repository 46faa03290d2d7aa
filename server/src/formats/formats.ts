/** The formats of answers. Requests, pages, forms and the OpenAPI document go by this table. */
import { ARROW_FORMAT } from './arrow/arrow.ts';
import { CSV_FORMAT } from './csv.ts';
import { CSV_GZIP_FORMAT } from './csv-gzip.ts';
import type { Format } from './format.ts';
import { JSON_FORMAT } from './json.ts';
import { PARQUET_FORMAT } from './parquet.ts';

/** The first one is the default. */
export const FORMATS: readonly [Format, ...Format[]] = [
  JSON_FORMAT,
  CSV_FORMAT,
  CSV_GZIP_FORMAT,
  ARROW_FORMAT,
  PARQUET_FORMAT,
];
