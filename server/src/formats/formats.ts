/** The formats of answers. Requests, pages, forms and the OpenAPI document go by this table. */
import { CSV_FORMAT } from './csv.ts';
import { CSV_GZIP_FORMAT } from './csv-gzip.ts';
import type { Format } from './format.ts';
import { JSON_FORMAT } from './json.ts';

/** The first one is the default. */
export const FORMATS: readonly [Format, ...Format[]] = [JSON_FORMAT, CSV_FORMAT, CSV_GZIP_FORMAT];
