/** Schemas of what owners watch. */
import {
  arrayOf,
  date,
  integer,
  type JsonSchema,
  nullable,
  object,
  reference,
  text,
  time,
} from './json-schema.ts';

export const STATUS_FIELDS = {
  dataset_id: text,
  status_code: {
    type: 'string',
    enum: ['current', 'updating', 'late', 'failed', 'closed', 'empty'],
  },
  last_update: nullable(time),
  next_expected_update: nullable(time),
  last_trade_date: nullable(date),
  version: integer,
  row_count: integer,
};

const REQUEST_FIELDS = {
  request_id: text,
  identity_id: nullable(integer),
  identity_name: nullable(text),
  method: text,
  path: text,
};

export const OWNER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Publication: object({
    ...STATUS_FIELDS,
    dataset_name: text,
    data_group: text,
    first_trade_date: nullable(date),
    stored_bytes: integer,
    file_count: integer,
    ingest: nullable(
      object({
        state: { type: 'string', enum: ['running', 'succeeded', 'failed'] },
        started_at: time,
        finished_at: nullable(time),
        message: nullable(text),
      }),
    ),
  }),
  PublicationList: arrayOf(reference('Publication')),
  RunningRequest: object({
    ...REQUEST_FIELDS,
    key_id: nullable(integer),
    person_id: nullable(integer),
    dataset_id: nullable(text),
    state: { type: 'string', enum: ['waiting', 'reading', 'sending'] },
    started_at: time,
    elapsed_ms: integer,
  }),
  RefusedRequest: object({
    ...REQUEST_FIELDS,
    at: time,
    source_address: nullable(text),
    status: integer,
    detail: text,
  }),
  RequestBoard: object({
    running: arrayOf(reference('RunningRequest')),
    refused: arrayOf(reference('RefusedRequest')),
  }),
};
