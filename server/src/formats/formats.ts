/** The formats of answers. A row here is all that a new one needs, beside its line in the docs. */
import { CSV_FORMAT } from './csv.ts';
import { CSV_GZIP_FORMAT } from './csv-gzip.ts';
import type { Format } from './format.ts';
import { JSON_FORMAT } from './json.ts';

/** The first one is the default. */
export const FORMATS: readonly [Format, ...Format[]] = [JSON_FORMAT, CSV_FORMAT, CSV_GZIP_FORMAT];
