/** Calls from web pages: allowed to the listed origins, refused to all others. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

const EXPOSED_HEADERS = [
  'Content-Disposition',
  'ETag',
  'Link',
  'Retry-After',
  'X-Pagination-Limit',
  'X-Pagination-Next-Offset',
  'X-Pagination-Offset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'x-request-id',
  'x-amzn-RequestId',
].join(', ');
const PREFLIGHT_SECONDS = '600';

/** 400 for an origin that is not listed; a request without one is not from a page. */
export function checkOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): void {
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return;
  if (!origins.includes(origin)) throw new ApiError(400, 'Disallowed CORS origin');
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED_HEADERS);
}

export function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
  methods: readonly string[],
): FastifyReply {
  checkOrigin(request, reply, origins);
  return reply
    .code(204)
    .header('access-control-allow-methods', methods.join(', '))
    .header('access-control-allow-headers', 'X-API-KEY, Content-Type, If-None-Match')
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .send();
}
