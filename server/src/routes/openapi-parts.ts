/** Fields of queries and bodies, as the OpenAPI document lists them. */
import type { Fields } from '../admin/field.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { CHANGES as ROW_CHANGES } from '../engine/row-changes.ts';
import { INAPPLICABLE_TO_CHANGES } from '../plan/plan-changes.ts';
import { CHANGES_PARAMETERS } from '../request/changes-request.ts';
import { type SegmentParameter, segmentParameters } from '../request/segment-parameters.ts';
import {
  PAGE_PARAMETERS,
  SEGMENT_PARAMETERS,
  type SegmentParameterName,
  versionSchema,
} from '../request/standard-parameters.ts';
import { type JsonSchema, jsonSchemaOf } from '../schema/json-schema.ts';
import type { Config } from '../settings/config.ts';
import { NDJSON, TABLE_VERSION } from '../sharing/tables.ts';
import { PAGINATION } from './answers.ts';
import type { DescribedEndpoint, Endpoint, SharingEndpoint } from './endpoint.ts';
import { referenceOf } from './named-schemas.ts';

export function queryParameters(query: Fields) {
  return Object.entries(query).map(([name, { kind, help, isRequired }]) => {
    const schema = jsonSchemaOf(kind);
    return {
      name,
      in: 'query',
      required: isRequired,
      description: help,
      schema,
      // One parameter with commas, not one for each entry.
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    };
  });
}

function bodySchema(body: Fields, needsOneOf: readonly string[]) {
  const fields = Object.entries(body);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, { kind, help }]) => [name, { ...jsonSchemaOf(kind), description: help }]),
    ),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    ...(needsOneOf.length > 0 ? { anyOf: needsOneOf.map((name) => ({ required: [name] })) } : {}),
    additionalProperties: false,
  };
}

const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

export function requestBody({ body, needsOneOf = [], takesBytes }: DescribedEndpoint) {
  if (takesBytes) return { requestBody: { required: false, content: BYTES } };
  if (!body) return {};
  const schema = bodySchema(body, needsOneOf);
  const required = schema.required.length > 0;
  return { requestBody: { required, content: { 'application/json': { schema } } } };
}

function queryParameter(name: string, description: string, schema: JsonSchema) {
  return { name, in: 'query', required: false, description, schema };
}

function pageParameters(config: Config) {
  return Object.entries(PAGE_PARAMETERS).map(([name, { description, schema }]) =>
    queryParameter(
      name,
      typeof description === 'string' ? description : description(config),
      jsonSchemaOf(schema(config)),
    ),
  );
}

/** The parameters of requests for the rows that changed. */
export function changesParameters(config: Config) {
  const own = Object.entries(CHANGES_PARAMETERS).map(([name, description]) => ({
    ...queryParameter(name, description, jsonSchemaOf(versionSchema)),
    required: name === 'from',
  }));
  const ofPage = pageParameters(config).filter(
    ({ name }) => !INAPPLICABLE_TO_CHANGES.includes(name),
  );
  return [...own, ...ofPage];
}

const FLAGS: readonly SegmentParameterName[] = ['adjusted', 'adjustment_factors'];
const VERSIONS: readonly SegmentParameterName[] = ['factors_version', 'rolls_version'];

function segmentSchema({ name, values, pattern, default: fallback }: SegmentParameter): JsonSchema {
  if (FLAGS.includes(name)) return { type: 'boolean', default: fallback === 'true' };
  if (VERSIONS.includes(name)) return jsonSchemaOf(versionSchema);
  const legal = pattern === null ? { enum: values } : { pattern };
  return { type: 'string', ...legal, ...(fallback !== null && { default: fallback }) };
}

/**
 * The parameters of every page, and those that the path has beside them for any of its variants.
 */
export function dataParameters(variants: readonly Dataset[], config: Config) {
  const all = variants.flatMap((dataset) => segmentParameters(dataset, config));
  const ofSegment = [...new Map(all.map((parameter) => [parameter.name, parameter])).values()];
  return [
    ...pageParameters(config),
    ...ofSegment.map((parameter) =>
      queryParameter(parameter.name, SEGMENT_PARAMETERS[parameter.name], segmentSchema(parameter)),
    ),
  ];
}

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

export const BEARER_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key as the token of Delta Sharing, for its endpoints alone',
};

const text = { type: 'string' };

const PATH_FIELDS: Readonly<Record<string, string>> = {
  share: 'Name of the share, in any case',
  schema: 'Name of the schema, in any case',
  table: 'Name of the table, in any case',
};

function pathParameters(path: string) {
  return Object.entries(PATH_FIELDS)
    .filter(([name]) => path.includes(`:${name}`))
    .map(([name, description]) => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: text,
    }));
}

const SHARING_ERROR = {
  description: 'An error in the form of Delta Sharing',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { errorCode: text, message: text },
        required: ['errorCode', 'message'],
      },
    },
  },
};

const VERSION_HEADER = {
  [TABLE_VERSION]: { schema: { type: 'integer' }, description: 'Version of the table' },
};
const LINES = { [NDJSON]: { schema: { ...text, description: 'A JSON object in each line' } } };

const SHARING_ANSWERS: Readonly<Record<SharingEndpoint['answers'], object>> = {
  items: { content: { 'application/json': { schema: { type: 'object' } } } },
  version: { headers: VERSION_HEADER },
  lines: { headers: VERSION_HEADER, content: LINES },
};

/** The protocol may have further members. */
function sharingBody(body: Fields) {
  const schema = { ...bodySchema(body, []), additionalProperties: true };
  return { requestBody: { content: { 'application/json': { schema } } } };
}

function describe({ operationId, summary, path, query = {}, body, answers }: SharingEndpoint) {
  return {
    operationId,
    summary,
    tags: ['delta-sharing'],
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body && sharingBody(body)),
    responses: {
      200: { description: 'OK, as the protocol has it', ...SHARING_ANSWERS[answers] },
      default: SHARING_ERROR,
    },
  };
}

function isSharing(endpoint: Endpoint): endpoint is SharingEndpoint {
  return !endpoint.isPublic && endpoint.isSharing === true;
}

export function sharingPaths(endpoints: readonly Endpoint[]) {
  const byPath = Map.groupBy(endpoints.filter(isSharing), ({ path }) => path);
  return [...byPath].map(([path, ofPath]) => [
    path.replaceAll(/:(\w+)/g, '{$1}'),
    Object.fromEntries(ofPath.map((each) => [each.method.toLowerCase(), describe(each)])),
  ]);
}

export const CHANGES_DESCRIPTION = {
  operationId: 'listDatasetChanges',
  summary: 'The rows that were removed and added between two versions of a dataset',
  description:
    'Applied to the earlier version, they give the later one. Every column is also a filter.',
};

/** A changes page of any dataset: only the column that says how a row changed is known. */
export const CHANGES_PAGE: JsonSchema = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: { type: 'object', properties: { Change: { type: 'string', enum: ROW_CHANGES } } },
    },
    pagination: referenceOf(PAGINATION),
  },
  required: ['data', 'pagination'],
  additionalProperties: false,
};
