/** Where a request comes from and what its proxy, when it is a trusted one, says about it. */
import type { FastifyRequest } from 'fastify';
import { isIn, peerAddress, sourceAddress } from '../access/source-address.ts';
import { type Address, formatAddress } from '../access/subnet.ts';
import type { Config } from '../settings/config.ts';

type ProxySettings = Pick<Config, 'trustedProxies'>;

/** A header that came more than once, in the order of its lines. */
function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** The address that the request comes from; null where nobody can know. */
export function requestSource(
  request: FastifyRequest,
  { trustedProxies }: ProxySettings,
): Address | null {
  const peer = peerAddress(request.raw.socket.remoteAddress);
  return sourceAddress(peer, headerText(request, 'x-forwarded-for'), trustedProxies);
}

/** The same as the audit log says it. */
export function sourceText(request: FastifyRequest, settings: ProxySettings): string {
  const address = requestSource(request, settings);
  return address === null ? 'unknown' : formatAddress(address);
}

/**
 * A header that only a trusted proxy may set; null from anyone else. Of several values it is the
 * last one, which the peer itself wrote or took over.
 */
export function proxyHeader(
  request: FastifyRequest,
  name: string,
  { trustedProxies }: ProxySettings,
): string | null {
  if (trustedProxies.length === 0) return null;
  const text = headerText(request, name);
  if (text === undefined || !isIn(trustedProxies, peerAddress(request.raw.socket.remoteAddress))) {
    return null;
  }
  return text.split(',').at(-1)?.trim() ?? null;
}
