/** The endpoints of Delta Sharing in the OpenAPI document, by the words of the protocol. */
import { NDJSON } from '../sharing/actions.ts';
import type { Endpoint, SharingEndpoint } from './endpoint.ts';

export const BEARER_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key as the token of Delta Sharing, for its endpoints alone',
};

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };
const isGiven = { type: 'boolean' };

type Fields = Readonly<Record<string, readonly [object, string]>>;

const PATH_FIELDS: Fields = {
  share: [text, 'Name of the share, in any case'],
  schema: [text, 'Name of the schema, in any case'],
  table: [text, 'Name of the table, in any case'],
};
const PAGE: Fields = {
  maxResults: [count, 'Most items of the page'],
  pageToken: [text, 'nextPageToken of the page before'],
};
const VERSION: Fields = {
  version: [count, 'Version to read; default: the current one'],
  timestamp: [time, 'Reads the version that was current then'],
};
const CHANGES: Fields = {
  startingVersion: [count, 'First version; it or the time has to be given'],
  startingTimestamp: [time, 'From the first version at or after it'],
  endingVersion: [count, 'Last version; default: the current one'],
  endingTimestamp: [time, 'Up to the last version at or before it'],
  includeHistoricalMetadata: [isGiven, 'Changes nothing: columns are those of now'],
};
const BODY: Fields = {
  predicateHints: [{ type: 'array', items: text }, 'Comparisons in SQL; dates leave out files'],
  jsonPredicateHints: [text, 'Comparisons in JSON; dates leave out files'],
  limitHint: [count, 'Rows that are wanted: no more files than they need'],
  ...VERSION,
  startingVersion: [count, 'Asks for changes instead, from this version on'],
  endingVersion: [count, 'Last version of changes; default: the current one'],
};

const QUERIES: Readonly<Record<string, Fields>> = {
  listShares: PAGE,
  listSchemas: PAGE,
  listTables: PAGE,
  listAllTables: PAGE,
  showTableVersion: { startingTimestamp: [time, 'Asks for the first version at or after it'] },
  showTable: VERSION,
  listTableChanges: CHANGES,
};

function parameters(fields: Fields, place: 'path' | 'query') {
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
