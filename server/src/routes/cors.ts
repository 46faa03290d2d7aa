/** Calls from web pages: allowed to the service's own and the listed origins, refused to others. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import type { Config } from '../settings/config.ts';
import { requestOrigin } from './http-headers.ts';
import { EXPOSED_HEADERS } from './openapi-parts.ts';

const PREFLIGHT_SECONDS = '600';

const DISALLOWED = 'Disallowed CORS origin';

/** True if a request comes from one of our own pages, or has no Origin header. */
export function isOwnOrigin(request: FastifyRequest, config: Config): boolean {
  const { origin } = request.headers;
  // An unknown own origin is '', which matches nothing.
  return origin === undefined || (origin !== '' && origin === requestOrigin(request, config));
}

/** 400 for any other page, also one that may call the interface. */
export function requireOwnOrigin(request: FastifyRequest, config: Config): void {
  if (!isOwnOrigin(request, config)) throw new ApiError('malformed', DISALLOWED);
}

/**
 * 400 for an origin that is neither listed nor the one that the request came to; a request without
 * one is not from a page, or a page of the service reads something.
 */
export function checkOrigin(request: FastifyRequest, reply: FastifyReply, config: Config): void {
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || isOwnOrigin(request, config)) return;
  if (!config.corsOrigins.includes(origin)) throw new ApiError('malformed', DISALLOWED);
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED_HEADERS.join(', '));
}

export function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  config: Config,
  methods: readonly string[],
): FastifyReply {
  checkOrigin(request, reply, config);
  return reply
    .code(204)
    .header('access-control-allow-methods', methods.join(', '))
    .header(
      'access-control-allow-headers',
      'X-API-KEY, Content-Type, If-None-Match, If-Range, Prefer, Range, Want-Repr-Digest',
    )
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .send();
}
