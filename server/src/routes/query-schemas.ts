/** Schemas of what forms that ask for rows go by. */

import { DATA_TYPES } from '../catalog/dataset.ts';
import { operatorNames } from '../engine/operators.ts';
import { FORMATS } from '../formats/formats.ts';
import { PATH_PARAMETERS } from '../request/path-parameters.ts';
import {
  arrayOf,
  date,
  flag,
  integer,
  type JsonSchema,
  nullable,
  object,
  text,
} from './json-schema.ts';

const texts = arrayOf(text);
const operators = arrayOf({ type: 'string', enum: operatorNames() });
const pathParameter = { type: 'string', enum: [...new Set(Object.values(PATH_PARAMETERS).flat())] };
const rowLimit = object({ default: integer, maximum: integer });

export const QUERY_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  QueryForm: object({
    dataset_id: text,
    group: text,
    segment: text,
    path_parameters: arrayOf(pathParameter),
    aliases: texts,
    parameters: arrayOf(
      object({ name: text, values: texts, pattern: nullable(text), default: text }),
    ),
    variants: arrayOf(
      object({
        dataset_id: text,
        dataset_name: text,
        parameters: { type: 'object', additionalProperties: text },
        is_entitled: flag,
      }),
    ),
    required_filters: arrayOf(texts),
    required_filter_operators: operators,
    unfilterable_columns: texts,
    path_forms: arrayOf(object({ identifier_column: nullable(text), unfilterable_columns: texts })),
    default_period: nullable(text),
    date_column: nullable(text),
    identifier_columns: texts,
    time_zone: text,
    filter_time_zone: text,
    sort_columns: texts,
    columns: arrayOf(
      object({ name: text, data_type: { type: 'string', enum: DATA_TYPES }, operators }),
    ),
    limits: object(Object.fromEntries(FORMATS.map(({ name }) => [name, rowLimit]))),
    is_entitled: flag,
    rules: arrayOf(
      object({ start_date: date, end_date: nullable(date), universe_identifiers: texts }),
    ),
  }),
  DataScan: object({
    dataset_id: text,
    dataset_version: nullable(integer),
    rows_scanned: integer,
    bytes_scanned: integer,
    files_scanned: integer,
  }),
};
