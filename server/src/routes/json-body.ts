/** Bodies of requests: JSON objects in UTF-8, except where an endpoint takes any bytes. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../base/errors.ts';

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

/** The members of a request's body; none where it has no body. */
export function bodyMembers(body: unknown): [string, unknown][] {
  return Object.entries((body ?? {}) as JsonObject);
}
