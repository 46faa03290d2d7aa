/** What the OpenAPI document says of the rows that changed. */
import { CHANGES } from '../engine/row-changes.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { PAGINATION } from './answers.ts';
import { referenceOf } from './named-schemas.ts';

export const CHANGES_DESCRIPTION = {
  operationId: 'listDatasetChanges',
  summary: 'The rows that were removed and added between two versions of a dataset',
  description:
    'Applied to the earlier version, they give the later one. Every column is also a filter.',
};

/** Of any dataset, so that only the column that says how a row changed is known. */
export const CHANGES_PAGE: JsonSchema = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: { type: 'object', properties: { Change: { type: 'string', enum: CHANGES } } },
    },
    pagination: referenceOf(PAGINATION),
  },
  required: ['data', 'pagination'],
  additionalProperties: false,
};
