/** The machine-readable description, made from the same tables that serve the requests. */
import { INTERFACE_VERSION } from '../base/installation.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { FILE_FORMATS } from '../delivery/file-formats.ts';
import { FORMATS } from '../formats/formats.ts';
import { type JsonSchema, namedJsonSchemas } from '../schema/json-schema.ts';
import type { Config } from '../settings/config.ts';
import { ERROR, VALIDATION_ERROR } from './answers.ts';
import { ROW_PAGE } from './data-answers.ts';
import { AGGREGATE_ENDPOINTS } from './data-endpoints.ts';
import { type DescribedEndpoint, type Endpoint, isDescribed, servesRows } from './endpoint.ts';
import { FILE_ENDPOINTS } from './file-endpoint.ts';
import { datasetPath } from './meta-endpoints.ts';
import {
  AGGREGATE_DESCRIPTION,
  aggregateParameters,
  BEARER_SCHEME,
  CHANGES_DESCRIPTION,
  CHANGES_PAGE,
  changesParameters,
  DATA_HEADERS,
  dataParameters,
  FILE_HEADERS,
  ID_HEADERS,
  JSON_HEADERS,
  jsonContent,
  PAGE_HEADERS,
  pageSchema,
  pathParameters,
  pathsOf,
  queryParameters,
  RATE_HEADERS,
  REDIRECT_HEADERS,
  referenceOf,
  referenceTo,
  requestBody,
  SCHEMAS,
  sharingPaths,
  TAG_HEADERS,
} from './openapi-parts.ts';
import { CHANGES_ENDPOINT, PREVIEW_DESCRIPTION, PREVIEW_ENDPOINT } from './preview-and-changes.ts';

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'The Origin header names an origin that is not allowed, or the request is not valid HTTP',
  401: 'No API key or session, or one that is not valid, or a wrong password',
  403: 'The account may not do this',
  404: 'No such path, dataset, account, key, rule or person',
  406: 'The header Accept allows no format of answers',
  409: 'The current state does not allow it; the text says why',
  410: "The API key or the account's contract has ended, or the account is deactivated",
  414: 'The URL is too long',
  416: 'None of the bytes asked for are in the file',
  422: 'The request is not valid',
  429: 'A limit of the account is used up, or there were too many failed attempts',
  500: 'Internal error',
  503: 'Too many requests are waiting',
  504: 'The query took too long',
};
const EVERY_ENDPOINT = [400, 414, 422, 500];
const KEYED_ENDPOINTS = [401, 403, 410, 503];

function headerParameter(name: string, description: string) {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

const CONDITION_PARAMETER = headerParameter(
  'If-None-Match',
  'Tags of answers that the client holds; a 304 without a body if one is still current',
);

const DIGEST_PARAMETER = headerParameter(
  'Want-Repr-Digest',
  'Asks for Repr-Digest, such as sha-256=1; sha-512 may be preferred',
);

const PREFER_PARAMETER = headerParameter(
  'Prefer',
  'rate-limit, on a request with a key to any endpoint: the answer shows what is left of each limit',
);

function notModified(headers: JsonSchema) {
  return { 304: { description: 'The client holds the answer', headers } };
}

function errorResponses(statuses: readonly number[]) {
  const entries = [...new Set(statuses)]
    .toSorted((a, b) => a - b)
    .map((status) => {
      const content = jsonContent(referenceOf(status === 422 ? VALIDATION_ERROR : ERROR));
      const headers = status === 429 ? RATE_HEADERS : ID_HEADERS;
      return [status, { description: STATUS_TEXTS[status], headers, content }];
    });
  return Object.fromEntries(entries);
}

function endpointStatuses(endpoint: Endpoint): number[] {
  if (endpoint.isPublic) return [...EVERY_ENDPOINT, ...endpoint.errorStatuses];
  const limited = endpoint.isMinuteExempt ? [] : [429];
  return [...EVERY_ENDPOINT, ...KEYED_ENDPOINTS, ...limited, ...endpoint.errorStatuses];
}

/** How callers of an endpoint identify themselves: by default with a key or a session. */
function securityOf(endpoint: DescribedEndpoint) {
  if (endpoint.isPublic) return { security: [] };
  return endpoint.role === undefined ? {} : { security: [{ session: [] }] };
}

function furtherResponses({ furtherStatuses = {} }: DescribedEndpoint, content: object) {
  const entries = Object.entries(furtherStatuses).map(([status, description]) => {
    return [status, { description, headers: ID_HEADERS, content }];
  });
  return Object.fromEntries(entries);
}

function describeEndpoint(endpoint: DescribedEndpoint) {
  const content = jsonContent(referenceOf(endpoint.answer));
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...securityOf(endpoint),
    parameters: [
      ...pathParameters(endpoint.path),
      ...(endpoint.isPublic ? [] : queryParameters(endpoint.query ?? {})),
      ...(endpoint.isTagged ? [CONDITION_PARAMETER] : []),
    ],
    ...requestBody(endpoint),
    responses: {
      200: {
        description: 'OK',
        headers: endpoint.isTagged ? { ...JSON_HEADERS, ...TAG_HEADERS } : JSON_HEADERS,
        content,
      },
      ...furtherResponses(endpoint, content),
      ...(endpoint.isTagged ? notModified(TAG_HEADERS) : {}),
      ...errorResponses(endpointStatuses(endpoint)),
    },
  };
}

export const FILTERS_NOTE =
  'Every column is also a filter: see /meta/datasets/{dataset_id}/columns.';

/** Notes that a caller needs on a path, besides its parameters. */
function pathNotes({ group, segment, shortSegment, requiredFilters }: Dataset): string {
  const notes = [FILTERS_NOTE];
  if (requiredFilters.length > 0) {
    notes.push(`An equality or a list on ${requiredFilters.join(' or ')} is required.`);
  }
  if (shortSegment !== segment) notes.push(`Also under /data/${group}/${shortSegment}.`);
  return notes.join(' ');
}

/** The bodies of a page, whose schema as JSON is given. */
function pageContent(page: JsonSchema) {
  return Object.fromEntries(
    FORMATS.map(({ contentType, bodySchema }) => [contentType, { schema: bodySchema(page) }]),
  );
}

function pageResponses(page: JsonSchema, statuses: readonly number[]) {
  return {
    200: { description: 'A page of rows', headers: PAGE_HEADERS, content: pageContent(page) },
    ...notModified(DATA_HEADERS),
    ...errorResponses(statuses),
  };
}

function describeData(variants: readonly Dataset[], statuses: readonly number[], config: Config) {
  const [dataset] = variants as [Dataset];
  const ids = variants.map(({ datasetId, name }) =>
    variants.length === 1 ? datasetId : `${datasetId} ${name}`,
  );
  const pages = variants.map(({ datasetId }) => referenceTo(`${datasetId}Page`));
  return {
    operationId: `read_${dataset.textId}`,
    summary: dataset.name,
    description: `${dataset.description} Serves ${ids.join('; ')}. ${pathNotes(dataset)}`,
    tags: [dataset.group],
    parameters: [
      ...pathParameters(datasetPath(dataset)),
      ...dataParameters(variants, config),
      CONDITION_PARAMETER,
      DIGEST_PARAMETER,
      PREFER_PARAMETER,
    ],
    responses: pageResponses(
      pages.length === 1 ? (pages[0] as JsonSchema) : { anyOf: pages },
      statuses,
    ),
  };
}

function describeChanges(config: Config) {
  const ofPath = pathParameters(CHANGES_ENDPOINT.path);
  return {
    ...CHANGES_DESCRIPTION,
    parameters: [...ofPath, ...changesParameters(config), CONDITION_PARAMETER],
    responses: pageResponses(CHANGES_PAGE, endpointStatuses(CHANGES_ENDPOINT)),
  };
}

function describeAggregate(endpoint: Endpoint, config: Config) {
  const ofPath = pathParameters(endpoint.path);
  const [, , ...names] = ofPath.map(({ name }) => name);
  return {
    operationId: `aggregate_${names.join('_') || 'rows'}`,
    ...AGGREGATE_DESCRIPTION,
    parameters: [...ofPath, ...aggregateParameters(config), CONDITION_PARAMETER],
    responses: pageResponses(referenceOf(ROW_PAGE), endpointStatuses(endpoint)),
  };
}

function describePreview() {
  const content = jsonContent(referenceOf(ROW_PAGE));
  return {
    ...PREVIEW_DESCRIPTION,
    parameters: [...pathParameters(PREVIEW_ENDPOINT.path), CONDITION_PARAMETER],
    responses: {
      200: { description: 'A page of rows', headers: DATA_HEADERS, content },
      ...notModified(DATA_HEADERS),
      ...errorResponses(endpointStatuses(PREVIEW_ENDPOINT)),
    },
  };
}

const REDIRECTED = {
  307: {
    description: 'Where TICKLAKE_FILE_SENDER is object-storage: the bytes are at another place',
    headers: REDIRECT_HEADERS,
  },
};

function describeFile(endpoint: Endpoint) {
  const content = Object.fromEntries(
    FILE_FORMATS.map(({ contentType }) => [
      contentType,
      { schema: { type: 'string', format: 'binary' } },
    ]),
  );
  return {
    operationId: `${endpoint.method.toLowerCase()}File`,
    summary: 'A file that a manifest names; its link says who asked for it, so it needs no key',
    security: [],
    parameters: [
      ...pathParameters(endpoint.path),
      headerParameter('Range', 'One range of bytes, such as bytes=0-99'),
      headerParameter(
        'If-Range',
        'The tag that the client holds a part of; else it gets the whole file',
      ),
      CONDITION_PARAMETER,
    ],
    responses: {
      200: { description: 'The file', headers: FILE_HEADERS, content },
      206: { description: 'The bytes asked for', headers: FILE_HEADERS, content },
      ...notModified(FILE_HEADERS),
      ...(endpoint.method === 'GET' && REDIRECTED),
      ...errorResponses(endpointStatuses(endpoint)),
    },
  };
}

function dataPaths(endpoints: readonly Endpoint[], catalog: Catalog, config: Config) {
  const dataEndpoints = endpoints.filter(
    (endpoint) => servesRows(endpoint) && !FILE_ENDPOINTS.includes(endpoint),
  );
  const statuses = dataEndpoints.flatMap(endpointStatuses);
  const byPath = Map.groupBy(catalog.datasets, datasetPath);
  return [...byPath].map(([path, variants]) => [
    path,
    { get: describeData(variants, statuses, config) },
  ]);
}

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
  bearer: BEARER_SCHEME,
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'ticklake_session',
    description:
      'Set by signIn. Over https its name begins with __Host-. Each POST needs the header ' +
      "X-CSRF-Token with the session's csrf_token. If the request also has a key, the key counts.",
  },
};

/** The whole document. `endpoints` is the list that routing uses. */
export function openApiDocument(endpoints: readonly Endpoint[], catalog: Catalog, config: Config) {
  const pages = catalog.datasets.map((dataset) => [
    `${dataset.datasetId}Page`,
    pageSchema(dataset),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ticklake',
      version: INTERFACE_VERSION,
      description:
        'Historical US market data and reference data, read-only, and the accounts that read it. ' +
        'The version is that of this interface; GET /status names the release of the server.',
    },
    servers: config.prefixes.map((url) => ({ url })),
    security: [{ apiKey: [] }, { session: [] }],
    paths: Object.fromEntries([
      ...pathsOf(endpoints.filter(isDescribed), describeEndpoint),
      ...pathsOf(FILE_ENDPOINTS, describeFile),
      ...sharingPaths(endpoints),
      ...pathsOf([CHANGES_ENDPOINT], () => describeChanges(config)),
      ...pathsOf([PREVIEW_ENDPOINT], describePreview),
      ...dataPaths(endpoints, catalog, config),
      ...pathsOf(AGGREGATE_ENDPOINTS, (each) => describeAggregate(each, config)),
    ]),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { ...namedJsonSchemas(SCHEMAS), ...Object.fromEntries(pages) },
    },
  };
}
