/** The origin under which the caller reaches the service. */
import type { FastifyRequest } from 'fastify';
import type { Config } from '../settings/config.ts';
import { proxyHeader } from './request-source.ts';
import { targetHost } from './request-target.ts';

/** A host that may stand in a link; the header is the caller's, so anything else is dropped. */
const HOST = /^[A-Za-z0-9._-]{1,253}(:\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?$/;

/**
 * `https://host` without a trailing slash; '' where neither setting nor request names one, which
 * makes links relative. Only a trusted proxy's `X-Forwarded-Proto` and `X-Forwarded-Host` count.
 */
export function requestOrigin(request: FastifyRequest, config: Config): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const ownHost = targetHost(request.originalUrl) ?? request.headers.host;
  const host = proxyHeader(request, 'x-forwarded-host', config) ?? ownHost;
  if (host === undefined || !HOST.test(host)) return '';
  const isSecure = proxyHeader(request, 'x-forwarded-proto', config)?.toLowerCase() === 'https';
  return `${isSecure ? 'https' : 'http'}://${host}`;
}
