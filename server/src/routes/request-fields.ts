/** The fields that a request gives: in its body, its query and its path. */
import type { FastifyInstance } from 'fastify';
import {
  type Fault,
  type Fields,
  type FieldValues,
  fault,
  readFields,
  unknownField,
} from '../admin/field.ts';
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { datasetsNamed } from '../request/data-request.ts';
import { parseQueryString } from '../request/query-string.ts';
import { valueOfText } from '../schema/read-value.ts';
import type { DataExchange, Exchange } from './endpoint.ts';

/** More than any endpoint knows: each one that is not known is told, at a greater length. */
const FIELDS_MAX = 100;

type JsonObject = Readonly<Record<string, unknown>>;

/** A 422 about a body as a whole. */
export function badBody(type: string, msg: string): ApiError {
  return new ApiError('invalid', [{ type, loc: ['body'], msg, input: null, ctx: {} }]);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw badBody('json_invalid', 'The body should be valid JSON in UTF-8');
  }
}

function parseObject(body: Buffer): JsonObject {
  if (body.length === 0) return {};
  const value = parseJson(body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (Object.keys(value).length <= FIELDS_MAX) return value as JsonObject;
    throw badBody('too_many_fields', `The body should have at most ${FIELDS_MAX} fields`);
  }
  throw badBody('object_expected', 'The body should be a JSON object');
}

/** Has bodies read as JSON objects; a body of any other kind is refused. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => parseObject(body),
  );
}

/** Has bodies of any kind handed on as streams. */
export function acceptStreamedBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request: unknown, body: unknown, done) => done(null, body));
}

/** The members of a body that are known; a fault for each other one. */
export function bodyInput(
  body: unknown,
  known: readonly string[],
  faults: Fault[],
): Record<string, unknown> {
  const members = Object.entries((body ?? {}) as JsonObject);
  for (const [name, value] of members) {
    if (!known.includes(name)) faults.push(unknownField(name, known, value));
  }
  return Object.fromEntries(members.filter(([name]) => known.includes(name)));
}

/** A 422 about a member of the body that nothing of is repeated: it may be a password. */
export function secretProblem(name: string, type: string, complaint: string): ApiError {
  return new ApiError('invalid', [secretProblemOf({ path: [name], type, complaint, input: null })]);
}

function secretProblemOf({ path, type, complaint }: Fault) {
  const msg = `'${path.join('.')}' ${complaint}`;
  return { type, loc: ['body', ...path], msg, input: null, ctx: {} };
}

/** The values of a body, of which no error repeats anything. Throws an ApiError 'invalid'. */
export function readSecretBody<F extends Fields>(
  { services: { catalog, clock }, request }: Exchange,
  fields: F,
): FieldValues<F> {
  const reading = { catalog, nowMs: clock.now(), faults: [] as Fault[] };
  const input = bodyInput(request.body, Object.keys(fields), reading.faults);
  const values = readFields(fields, input, reading);
  if (reading.faults.length === 0) return values as FieldValues<F>;
  throw new ApiError('invalid', reading.faults.map(secretProblemOf));
}

type Input = Record<string, unknown>;

/**
 * Values given for the fields, and the list of texts of each that may be `repeated`. Adds a fault
 * for each other parameter that is repeated or unknown.
 */
export function queryInput(
  fields: Fields,
  queryString: string,
  faults: Fault[],
  repeated: readonly string[] = [],
): Input {
  const input: Input = {};
  for (const { name, value } of parseQueryString(queryString)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) faults.push(unknownField(name, Object.keys(fields), value));
    else if (repeated.includes(name)) input[name] = [input[name] ?? [], value].flat();
    else if (Object.hasOwn(input, name)) {
      faults.push(fault([name], 'given_twice', 'should be given only once', value));
    } else input[name] = valueOfText(field.kind, value);
  }
  return input;
}

/** The input of a request, and the faults found in it so far. */
interface GivenInput {
  readonly place: 'query' | 'path' | 'body';
  readonly input: Input;
  readonly faults: Fault[];
}

/** The values of the fields. Throws an ApiError 'invalid' with all that is wrong. */
export function readInput<F extends Fields>(
  { services: { catalog, clock } }: Exchange,
  fields: F,
  { place, input, faults }: GivenInput,
): FieldValues<F> {
  const values = readFields(fields, input, { catalog, nowMs: clock.now(), faults });
  if (faults.length === 0) return values as FieldValues<F>;
  throw new ApiError(
    'invalid',
    faults.map(({ path, type, complaint, input: given }) => ({
      ...{ type, loc: [place, ...path], input: given, ctx: {} },
      msg: `'${path.join('.')}' ${complaint}`,
    })),
  );
}

/** The values of a query string. Throws an ApiError 'invalid' with all that is wrong of it. */
export function readQuery<F extends Fields>(
  exchange: Exchange,
  fields: F,
  repeated: readonly string[] = [],
): FieldValues<F> {
  const faults: Fault[] = [];
  const input = queryInput(fields, exchange.queryString, faults, repeated);
  return readInput(exchange, fields, { place: 'query', input, faults });
}

/** The values of the parameters in a path. Throws an ApiError 'invalid'. */
export function readPath<F extends Fields>(exchange: Exchange, fields: F): FieldValues<F> {
  const given = exchange.request.params as Readonly<Record<string, string>>;
  const input = Object.fromEntries(
    Object.entries(fields).map(([name, { kind }]) => [name, valueOfText(kind, given[name] ?? '')]),
  );
  return readInput(exchange, fields, { place: 'path', input, faults: [] });
}

/**
 * The dataset that the path of a request names by its catalogue id; a text id is none. Throws an
 * ApiError 'not found'.
 */
export function requestedDataset({ services, request }: DataExchange): Dataset {
  const { dataset_id: datasetId } = request.params as { dataset_id: string };
  const dataset = services.catalog.byId(datasetId);
  if (dataset) return dataset;
  const ids = datasetsNamed(services.catalog, datasetId).map((each) => each.datasetId);
  const hint = ids.length > 0 ? `The id of this dataset is ${ids.join(' or ')}` : null;
  throw new ApiError('not found', 'The dataset with the specified id is not found', hint);
}
