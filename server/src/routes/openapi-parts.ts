/** Fields of queries and bodies, as the OpenAPI document lists them. */
import type { Fields } from '../admin/field.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { CHANGES as ROW_CHANGES } from '../engine/row-changes.ts';
import { INAPPLICABLE_TO_CHANGES } from '../plan/plan-changes.ts';
import { CHANGES_PARAMETERS } from '../request/changes-request.ts';
import { type SegmentParameter, segmentParameters } from '../request/segment-parameters.ts';
import {
  PAGE_PARAMETERS,
  type SegmentParameterName,
  versionSchema,
} from '../request/standard-parameters.ts';
import { type JsonSchema, jsonSchemaOf } from '../schema/json-schema.ts';
import type { Config } from '../settings/config.ts';
import { NDJSON } from '../sharing/tables.ts';
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

const DESCRIPTIONS: Readonly<Record<SegmentParameterName, string>> = {
  adjusted: 'Prices and volumes restated for corporate actions',
  adjusted_as_of:
    'Restates adjusted rows by the corporate actions up to this date alone, as they were known then',
  adjustments:
    'Which corporate actions restate adjusted rows: all, or only those that change the number of shares',
  adjustment_factors: 'Whether adjusted rows have their factors, whatever columns are asked for',
  factors_version: 'Version of the adjustment factors; default: the current one',
  aggregation_logic: 'Which trades count',
  interval: 'Bars of this length, built from the stored ones',
  rolls_version: 'Version of the dataset that ranks futures contracts; default: the current one',
  period: 'Longest span of trade dates: a number and Y, W or D',
};

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
      queryParameter(parameter.name, DESCRIPTIONS[parameter.name], segmentSchema(parameter)),
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
const count = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };
const isGiven = { type: 'boolean' };

type SharingFields = Readonly<Record<string, readonly [object, string]>>;

const PATH_FIELDS: SharingFields = {
  share: [text, 'Name of the share, in any case'],
  schema: [text, 'Name of the schema, in any case'],
  table: [text, 'Name of the table, in any case'],
};
const PAGE: SharingFields = {
  maxResults: [count, 'Most items of the page'],
  pageToken: [text, 'nextPageToken of the page before'],
};
const VERSION: SharingFields = {
  version: [count, 'Version to read; default: the current one'],
  timestamp: [time, 'Reads the version that was current then'],
};
const CHANGES: SharingFields = {
  startingVersion: [count, 'First version; it or the time has to be given'],
  startingTimestamp: [time, 'From the first version at or after it'],
  endingVersion: [count, 'Last version; default: the current one'],
  endingTimestamp: [time, 'Up to the last version at or before it'],
  includeHistoricalMetadata: [isGiven, 'Changes nothing: columns are those of now'],
};
const BODY: SharingFields = {
  predicateHints: [{ type: 'array', items: text }, 'Comparisons in SQL; dates leave out files'],
  jsonPredicateHints: [text, 'Comparisons in JSON; dates leave out files'],
  limitHint: [count, 'Rows that are wanted: no more files than they need'],
  ...VERSION,
  startingVersion: [count, 'Asks for changes instead, from this version on'],
  endingVersion: [count, 'Last version of changes; default: the current one'],
};

const QUERIES: Readonly<Record<string, SharingFields>> = {
  listShares: PAGE,
  listSchemas: PAGE,
  listTables: PAGE,
  listAllTables: PAGE,
  showTableVersion: { startingTimestamp: [time, 'Asks for the first version at or after it'] },
  showTable: VERSION,
  listTableChanges: CHANGES,
};

function parameters(fields: SharingFields, place: 'path' | 'query') {
  return Object.entries(fields).map(([name, [schema, description]]) => ({
    ...{ name, in: place, required: place === 'path', description, schema },
  }));
}

const ERROR = {
  type: 'object',
  properties: { errorCode: text, message: text },
  required: ['errorCode', 'message'],
};

const VERSION_HEADER = {
  'Delta-Table-Version': { schema: { type: 'integer' }, description: 'Version of the table' },
};

const LINES = { [NDJSON]: { schema: { ...text, description: 'A JSON object in each line' } } };
const ITEMS = { 'application/json': { schema: { type: 'object' } } };

function successOf({ operationId }: SharingEndpoint) {
  const description = 'OK, as the protocol has it';
  if (/share|schemas|tables$/i.test(operationId)) return { description, content: ITEMS };
  const isVersion = /version|head/i.test(operationId);
  return { description, headers: VERSION_HEADER, ...(isVersion ? {} : { content: LINES }) };
}

function describe(endpoint: SharingEndpoint) {
  const { operationId, summary, path, method } = endpoint;
  const inPath = Object.entries(PATH_FIELDS).filter(([name]) => path.includes(`:${name}`));
  const body = Object.entries(BODY).map(([name, [schema, description]]) => {
    return [name, { ...schema, description }];
  });
  const schema = { type: 'object', properties: Object.fromEntries(body) };
  return {
    operationId,
    summary,
    tags: ['delta-sharing'],
    security: [{ bearer: [] }, { apiKey: [] }],
    parameters: [
      ...parameters(Object.fromEntries(inPath), 'path'),
      ...parameters(QUERIES[operationId] ?? {}, 'query'),
    ],
    ...(method === 'POST' && { requestBody: { content: { 'application/json': { schema } } } }),
    responses: {
      200: successOf(endpoint),
      default: {
        description: 'An error in the form of Delta Sharing',
        content: { 'application/json': { schema: ERROR } },
      },
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
