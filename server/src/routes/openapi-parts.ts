/** Fields, headers and named schemas, as the OpenAPI document lists them. */
import * as accounts from '../admin/answers.ts';
import * as coverage from '../admin/coverage-operation.ts';
import type { Fields } from '../admin/field.ts';
import { DATE_OR_LATEST, ID } from '../admin/field-kinds.ts';
import * as publications from '../admin/publication-readings.ts';
import { capitalized } from '../base/printable.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { GROUP_INTERVALS } from '../engine/groups.ts';
import { CHANGES as ROW_CHANGES } from '../engine/row-changes.ts';
import * as alerts from '../operation/alerts.ts';
import { INAPPLICABLE_TO_CHANGES } from '../plan/plan-changes.ts';
import { INAPPLICABLE_TO_GROUPS } from '../plan/plan-groups.ts';
import { AGGREGATE_PARAMETERS } from '../request/aggregate-request.ts';
import { CHANGES_PARAMETERS } from '../request/changes-request.ts';
import { NO_CONTROLS_PATTERN } from '../request/query-string.ts';
import { type SegmentParameter, segmentParameters } from '../request/segment-parameters.ts';
import {
  PAGE_PARAMETERS,
  SEGMENT_PARAMETERS,
  type SegmentParameterName,
  versionSchema,
} from '../request/standard-parameters.ts';
import { type JsonSchema, jsonSchemaOf } from '../schema/json-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { Config } from '../settings/config.ts';
import { NDJSON, TABLE_VERSION } from '../sharing/tables.ts';
import { QUANTITIES, QUANTITY_NAMES, QUOTA_SPANS } from '../store/quantities.ts';
import * as answers from './answers.ts';
import { PAGINATION } from './answers.ts';
import { limitHeader } from './count-request.ts';
import * as data from './data-answers.ts';
import {
  type DescribedEndpoint,
  type Endpoint,
  isSharing,
  type SharingEndpoint,
} from './endpoint.ts';

const TEXT_SCHEMA = { type: 'string' };
const ID_SCHEMA = jsonSchemaOf(ID);

const PATH_FIELDS: Readonly<Record<string, readonly [description: string, schema: JsonSchema]>> = {
  dataset_id: ['Catalogue id, of the form US####', TEXT_SCHEMA],
  group: ['Group of a data path', TEXT_SCHEMA],
  segment: ['Dataset of a data path', TEXT_SCHEMA],
  trade_date: ['Trade date, YYYY-MM-DD, or latest', jsonSchemaOf(DATE_OR_LATEST)],
  identifier: [
    'Ticker, or the permanent integer id (ASID)',
    { ...TEXT_SCHEMA, minLength: 1, pattern: NO_CONTROLS_PATTERN },
  ],
  identity_id: ['Id of an identity', ID_SCHEMA],
  key_id: ['Id of an API key', ID_SCHEMA],
  person_id: ['Id of a person', ID_SCHEMA],
  request_id: ['Id of a request for access', ID_SCHEMA],
  enquiry_id: ['Id of an enquiry', ID_SCHEMA],
  publication_id: ['Id of a publication', ID_SCHEMA],
  upload_id: ['Id of an upload', TEXT_SCHEMA],
  version: ['Version of a dataset', ID_SCHEMA],
  plan_id: ['Id of a plan', ID_SCHEMA],
  rule_id: ['Id of an access rule', ID_SCHEMA],
  ticket: ['As in the link', TEXT_SCHEMA],
  name: ['Name of the file', TEXT_SCHEMA],
  share: ['Name of the share, in any case', TEXT_SCHEMA],
  schema: ['Name of the schema, in any case', TEXT_SCHEMA],
  table: ['Name of the table, in any case', TEXT_SCHEMA],
};

/** The parameters of a path, which has each as `:name` or `{name}`. */
export function pathParameters(path: string) {
  return [...path.matchAll(/[:{](\w+)/g)].map(([, name = '']) => {
    const [description, schema] = PATH_FIELDS[name] ?? [];
    return { name, in: 'path', required: true, description, schema };
  });
}

/** Endpoints by the path templates of the document, described by their methods. */
export function pathsOf<E extends Pick<Endpoint, 'path' | 'method'>>(
  endpoints: readonly E[],
  describe: (endpoint: E) => object,
): [template: string, methods: object][] {
  const byPath = Map.groupBy(endpoints, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  return [...byPath].map(([template, ofPath]) => {
    const methods = ofPath.map((each) => [each.method.toLowerCase(), describe(each)]);
    return [template, Object.fromEntries(methods)];
  });
}

export function jsonContent(schema: JsonSchema) {
  return { 'application/json': { schema } };
}

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
  return { requestBody: { required, content: jsonContent(schema) } };
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

const AGGREGATE_SCHEMAS: Readonly<Record<keyof typeof AGGREGATE_PARAMETERS, JsonSchema>> = {
  select: { type: 'string', minLength: 1, examples: ['count'] },
  by: jsonSchemaOf(PAGE_PARAMETERS.columns.schema()),
  interval: { type: 'string', enum: Object.keys(GROUP_INTERVALS) },
};

/** The parameters of requests for groups, of any dataset. */
export function aggregateParameters(config: Config) {
  const own = Object.entries(AGGREGATE_PARAMETERS).map(([name, description]) => ({
    ...queryParameter(name, description, AGGREGATE_SCHEMAS[name as keyof typeof AGGREGATE_SCHEMAS]),
    required: name === 'select',
  }));
  const ofPage = pageParameters(config).filter(
    ({ name }) => !INAPPLICABLE_TO_GROUPS.includes(name),
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

const SHARING_ERROR = {
  description: 'An error in the form of Delta Sharing',
  content: jsonContent({
    type: 'object',
    properties: { errorCode: TEXT_SCHEMA, message: TEXT_SCHEMA },
    required: ['errorCode', 'message'],
  }),
};

const VERSION_HEADER = {
  [TABLE_VERSION]: { schema: { type: 'integer' }, description: 'Version of the table' },
};
const LINES = {
  [NDJSON]: { schema: { ...TEXT_SCHEMA, description: 'A JSON object in each line' } },
};

const SHARING_ANSWERS: Readonly<Record<SharingEndpoint['answers'], object>> = {
  items: { content: jsonContent({ type: 'object' }) },
  version: { headers: VERSION_HEADER },
  lines: { headers: VERSION_HEADER, content: LINES },
};

/** The protocol may have further members. */
function sharingBody(body: Fields) {
  const schema = { ...bodySchema(body, []), additionalProperties: true };
  return { requestBody: { content: jsonContent(schema) } };
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

export function sharingPaths(endpoints: readonly Endpoint[]) {
  return pathsOf(endpoints.filter(isSharing), describe);
}

const text = (description: string) => ({ schema: { type: 'string' }, description });
const integer = (description: string) => ({ schema: { type: 'integer' }, description });

export const ID_HEADERS = {
  'x-request-id': text("The service's id of the request"),
  'x-amzn-RequestId': text("The edge's id of the request"),
  'X-Request-Digest': text(
    'SHA-256 of the path below the version prefix and the query, without percent-encoding',
  ),
};

export const RATE_HEADERS = {
  ...ID_HEADERS,
  'Retry-After': integer('Seconds until the request should be sent again'),
  'X-RateLimit-Limit': integer('The limit that is used up'),
  'X-RateLimit-Remaining': integer('Always 0'),
  'X-RateLimit-Reset': integer('Whole seconds until the request could succeed'),
  'X-RateLimit-Window': {
    ...text('The span of the limit'),
    schema: { type: 'string', enum: QUOTA_SPANS },
  },
};

export const TAG_HEADERS = {
  ...ID_HEADERS,
  ETag: text('Send it as If-None-Match with a later request'),
};

export const JSON_HEADERS = { ...ID_HEADERS, 'Repr-Digest': text('SHA-256 of the body') };

/** On every answer to a key that asks for them. */
const LIMIT_HEADERS = Object.fromEntries(
  QUOTA_SPANS.flatMap((span) =>
    QUANTITY_NAMES.map((quantity) => [
      limitHeader(span, quantity),
      text(
        `With Prefer: rate-limit: limit=, remaining=, reset= of the ${QUANTITIES[quantity].noun} ` +
          `in a ${span}; absent without a limit`,
      ),
    ]),
  ),
);

export const DATA_HEADERS = {
  ...TAG_HEADERS,
  ...LIMIT_HEADERS,
  'X-Dataset-Version': integer('The version of the dataset; 0 before the first publication'),
  'X-Factors-Version': integer(
    'The version of the adjustment factors, where rows were adjusted on request',
  ),
  'X-Window': text(
    "START/END: the dates read, where the period or the account's windows limited them",
  ),
  'X-Rolls-Version': integer(
    'The version of the dataset that ranks contracts, for continuous ones',
  ),
  'X-Rolls': text(
    'TICKER START/END, …: the contracts that a continuous one stood for on these dates',
  ),
  'X-Symbols': text(
    'TICKER ID START/END, …: tickers of the request that meant more than one company on its dates; ' +
      'with continuous=true, the tickers that the companies had',
  ),
};

export const PAGE_HEADERS = {
  ...DATA_HEADERS,
  'X-Unadjusted': text(
    'With adjusted=true, TICKER ASID no-event, TICKER no-asid, …: securities of the page whose rows ' +
      'are as they were traded, or with left-out have none; unknown where the account may not read the adjustment factors',
  ),
  'Repr-Digest': text('The digest of the body, where the request has Want-Repr-Digest'),
  'X-Missing': text(
    'COUNT of LISTED: NAME, …: identifiers of a list that have no rows for the caller on these dates; ' +
      'on first pages of requests that list some',
  ),
  'X-Hint': text(
    'On some answers without rows: what the request may have meant; on some others: what their rows ' +
      'lack; on errors: the next step',
  ),
  'X-Hint-Code': text(
    'With X-Hint: its kind and, percent-encoded, the identifier that may be meant',
  ),
  'X-Receipt': text(
    'With receipt=true: a signed statement of the request and the page (JWS, EdDSA)',
  ),
  'Content-Encoding': text(
    'Arrow: zstd or gzip, where the request allows it; no other format has one',
  ),
  Link: text('The next page, with rel="next"; absent on the last one'),
  'X-Pagination-Total': integer('With count=exact, on first pages: the rows of all pages'),
  'X-Pagination-Limit': text('All formats but JSON: the limit applied'),
  'X-Pagination-Offset': text('All formats but JSON: empty on the first page'),
  'X-Pagination-Next-Offset': text('All formats but JSON: empty on the last page'),
};

export const FILE_HEADERS = {
  ...TAG_HEADERS,
  'Accept-Ranges': text('bytes: one range at a time'),
  'Content-Disposition': text('A name for the file'),
  'Content-Range': text('On a 206: which bytes of how many'),
  'Repr-Digest': text('SHA-256 of the whole file'),
};

export const REDIRECT_HEADERS = {
  ...FILE_HEADERS,
  Location: text('Works for a minute, without a key, for a GET alone'),
};

/** Pages of the listed origins may read all of them. */
export const EXPOSED_HEADERS = Object.keys({ ...RATE_HEADERS, ...PAGE_HEADERS, ...FILE_HEADERS });

function isSchema(value: unknown): value is Schema {
  return (value as { kind?: unknown } | null)?.kind === 'schema';
}

/** `QUERY_FORM` is known as `QueryForm`; the interface has words of its own for two of them. */
function nameOf(constant: string): string {
  const named = constant.replace('ACCOUNT', 'IDENTITY').replace('OFFER', 'PLAN');
  const words = named.toLowerCase().split('_');
  return words.map(capitalized).join('');
}

/** Every schema that a module of answers exports, in the order of their names. */
export const SCHEMAS: Readonly<Record<string, Schema>> = Object.fromEntries(
  [accounts, publications, coverage, alerts, answers, data]
    .flatMap((module) => Object.entries<unknown>({ ...module }))
    .flatMap(([name, value]) => (isSchema(value) ? [[nameOf(name), value] as const] : []))
    .sort(([one], [other]) => (one < other ? -1 : 1)),
);

const NAMES = new Map(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));

/** A `$ref` to the schema of that name in the OpenAPI document. */
export function referenceTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Throws where an answer's schema has no name. */
export function referenceOf(schema: Schema): JsonSchema {
  const name = NAMES.get(schema);
  if (name === undefined) throw new Error('the schema of an answer has no name');
  return referenceTo(name);
}

export const CHANGES_DESCRIPTION = {
  operationId: 'listDatasetChanges',
  summary: 'The rows that were removed and added between two versions of a dataset',
  description:
    'Applied to the earlier version, they give the later one. Every column is also a filter.',
};

export const AGGREGATE_DESCRIPTION = {
  summary: 'Groups of the rows that the same path without its last segment reads',
  description:
    'Takes the filters and parameters of that path as well, but for sort, columns and ' +
    'adjustment_factors. Each page scans as much as a page of the rows.',
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
