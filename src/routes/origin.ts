/** The origin under which the caller reaches the service. */
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';

/** A host that may stand in a link; the header is the caller's, so anything else is dropped. */
const HOST = /^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?$/;

/** `https://host` without a trailing slash; null where neither setting nor request names one. */
export function requestOrigin(request: FastifyRequest, config: Config): string | null {
  if (config.publicUrl !== null) return config.publicUrl;
  const { host } = request.headers;
  return host !== undefined && HOST.test(host) ? `http://${host}` : null;
}
