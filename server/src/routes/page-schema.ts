/** JSON Schema of a page of a dataset's rows. */
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { PAGINATION } from './answers.ts';
import { referenceOf } from './named-schemas.ts';

const CELL_TYPES: Readonly<Record<DataType, JsonSchema>> = {
  string: { type: 'string' },
  integer: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  decimal: { type: 'number', format: 'decimal' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
  'array of string': { type: 'array', items: { type: 'string' } },
  'array of integer': { type: 'array', items: { type: 'integer', format: 'int64' } },
  'array of number': { type: 'array', items: { type: 'number', format: 'double' } },
};

function cellSchema({ dataType, description }: Column): JsonSchema {
  const schema = CELL_TYPES[dataType];
  return { ...schema, type: [schema.type, 'null'], description };
}

/** A projection leaves columns out, so none is required. */
export function pageSchema(dataset: Dataset): JsonSchema {
  const cells = dataset.columns.map((column) => [column.name, cellSchema(column)]);
  const row = {
    type: 'object',
    properties: Object.fromEntries(cells),
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: { data: { type: 'array', items: row }, pagination: referenceOf(PAGINATION) },
    required: ['data', 'pagination'],
    additionalProperties: false,
  };
}
