/** Schemas of the bodies that the interface answers with, as the OpenAPI document names them. */

import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { ROLES } from '../store/people.ts';
import { QUANTITIES } from '../store/quantities.ts';
import {
  arrayOf,
  date,
  flag,
  integer,
  type JsonSchema,
  nullable,
  object,
  reference,
  text,
  time,
} from './json-schema.ts';
import { OWNER_SCHEMAS, STATUS_FIELDS } from './owner-schemas.ts';
import { QUERY_SCHEMAS } from './query-schemas.ts';

const DATASET_FIELDS = {
  dataset_id: text,
  dataset_name: text,
  data_group: text,
  vendor: text,
  dataset_text_id: text,
};

const PROBLEM = object({
  type: text,
  loc: arrayOf(text),
  msg: text,
  input: {},
  ctx: { type: 'object' },
});

const KEY_FIELDS = {
  key_id: integer,
  name: text,
  reference: text,
  created_at: time,
  expires_at: time,
  last_used_at: nullable(time),
  is_active: flag,
  status: { type: 'string', enum: ['active', 'deactivated', 'expired'] },
};
const ADMINISTERED_KEY_FIELDS = { ...KEY_FIELDS, identity_id: integer };

function ofQuantities(schema: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(Object.values(QUANTITIES).map(({ field }) => [field, schema]));
}

const LIMITS = object(ofQuantities(nullable(integer)));
const USED_FIELDS = ofQuantities(integer);

function pageOf(name: string): JsonSchema {
  const pagination = object({ after: integer, limit: integer, next_after: nullable(integer) });
  return object({ data: arrayOf(reference(name)), pagination });
}

/** Schemas of the endpoints for administrators. */
const ADMIN_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  AdministeredIdentity: object({
    identity_id: integer,
    name: text,
    is_admin: flag,
    is_active: flag,
    max_active_api_keys: integer,
    ip_subnets: arrayOf(text),
    created_at: time,
  }),
  IdentityPage: pageOf('AdministeredIdentity'),
  AdministeredApiKey: object(ADMINISTERED_KEY_FIELDS),
  AdministeredApiKeyList: arrayOf(reference('AdministeredApiKey')),
  NewApiKey: object({ ...ADMINISTERED_KEY_FIELDS, api_key: text }),
  DeletedApiKey: object({ key_id: integer, is_deleted: flag }),
  AdministeredRule: object({
    rule_id: integer,
    identity_id: integer,
    dataset_id: text,
    dataset_name: nullable(text),
    dataset_text_id: nullable(text),
    dataset_version: text,
    start_date: date,
    end_date: nullable(date),
    universe_identifiers: arrayOf(text),
  }),
  AdministeredRuleList: arrayOf(reference('AdministeredRule')),
  DeletedRule: object({ rule_id: integer, is_deleted: flag }),
  QuotaLimits: object({
    identity_id: integer,
    quotas_limit: object({ month: LIMITS, minute: LIMITS }),
  }),
  UsageOfDay: object({
    day: date,
    dataset_id: nullable(text),
    key_id: nullable(integer),
    ...USED_FIELDS,
  }),
  Usage: object({
    identity_id: integer,
    from: date,
    to: date,
    data: arrayOf(reference('UsageOfDay')),
    total: object(USED_FIELDS),
  }),
  AuditEntry: object({
    audit_id: integer,
    happened_at: time,
    actor: text,
    source: text,
    operation: text,
    target: text,
    before: nullable({ type: 'object' }),
    after: nullable({ type: 'object' }),
  }),
  AuditPage: pageOf('AuditEntry'),
};

const PERSON_FIELDS = {
  person_id: integer,
  email: text,
  role: { type: 'string', enum: [...ROLES] },
  identity_id: nullable(integer),
  is_active: flag,
  is_password_initial: flag,
  created_at: time,
  last_sign_in_at: nullable(time),
};

/** Schemas of people and their sessions. */
const PERSON_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Person: object(PERSON_FIELDS),
  PersonPage: pageOf('Person'),
  NewPerson: object({ ...PERSON_FIELDS, password: text }),
  SubnetCheck: object({
    address: text,
    is_allowed: flag,
    source_address: text,
    is_source_allowed: flag,
  }),
  DeletedPerson: object({ person_id: integer, is_deleted: flag }),
  Session: {
    oneOf: [
      object({ person: { type: 'null' } }),
      object({
        person: reference('Person'),
        identity: {
          oneOf: [object({ identity_id: integer, name: text }), { type: 'null' }],
        },
        csrf_token: text,
        expires_at: time,
        source_address: text,
      }),
    ],
  },
};

export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...ADMIN_SCHEMAS,
  ...PERSON_SCHEMAS,
  ...OWNER_SCHEMAS,
  ...QUERY_SCHEMAS,
  SystemStatus: object({ status: { type: 'string', enum: ['ok', 'degraded'] }, version: text }),
  OpenApiDocument: { type: 'object' },
  Identity: object({
    identity_id: integer,
    name: text,
    max_active_api_keys: integer,
    ip_subnets: arrayOf(text),
  }),
  Quotas: object({
    quotas_usage: object({ month: object(USED_FIELDS), minute: object(USED_FIELDS) }),
    quotas_limit: object({ month: LIMITS, minute: LIMITS }),
  }),
  ApiKey: object(KEY_FIELDS),
  ApiKeyList: arrayOf(reference('ApiKey')),
  DataAccessRule: object({
    dataset_id: text,
    dataset_name: text,
    dataset_text_id: text,
    dataset_version: text,
    start_date: date,
    end_date: nullable(date),
    universe_identifiers: arrayOf(text),
  }),
  DataAccessRuleList: arrayOf(reference('DataAccessRule')),
  DatasetRow: object(DATASET_FIELDS),
  DatasetList: arrayOf(reference('DatasetRow')),
  DatasetInfo: object({
    ...DATASET_FIELDS,
    description: text,
    dataset_class: text,
    dataset_format: text,
    time_granularity: text,
    documentation_link: text,
    start_date: date,
    end_date: nullable(date),
    is_time_series: flag,
    universe_identifier: text,
    creation_date: date,
  }),
  Column: object({ name: text, data_type: text, description: text }),
  ColumnList: arrayOf(reference('Column')),
  DatasetStatus: object(STATUS_FIELDS),
  Pagination: object({ offset: integer, limit: integer, next_offset: nullable(integer) }),
  Error: object({ detail: text }),
  ValidationError: object({ detail: { oneOf: [arrayOf(PROBLEM), text] } }),
};

const CELL_SCHEMAS: Record<DataType, JsonSchema> = {
  string: text,
  integer: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  date,
  'date-time': time,
  'array of string': arrayOf(text),
};

function cellSchema({ dataType, description }: Column): JsonSchema {
  return { ...nullable(CELL_SCHEMAS[dataType]), description };
}

/** A page of a dataset's rows. A projection leaves columns out, so none is required. */
export function pageSchema(dataset: Dataset): JsonSchema {
  const properties = dataset.columns.map((column) => [column.name, cellSchema(column)]);
  return object({
    data: arrayOf({
      type: 'object',
      properties: Object.fromEntries(properties),
      additionalProperties: false,
    }),
    pagination: reference('Pagination'),
  });
}
