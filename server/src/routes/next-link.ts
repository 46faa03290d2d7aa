/** The `Link` header of a page after which there is another one. */
import type { Exchange } from './endpoint.ts';
import { requestOrigin } from './origin.ts';

/** Characters that clients send but a URI (RFC 3986) may not have; some would end the link. */
const OUTSIDE_URI = /[^!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]/g;

function isOffset(part: string): boolean {
  const [name = ''] = part.split('=');
  return decodeURIComponent(name) === 'offset';
}

/**
 * The request's own URL with another offset. It is relative to the request where neither setting
 * nor request names a host.
 */
export function nextLink({ services, request, queryString }: Exchange, offset: number): string {
  const origin = requestOrigin(request, services.config);
  const others = queryString.split('&').filter((part) => part !== '' && !isOffset(part));
  const [path] = request.raw.url?.split('?') ?? [];
  const target = `${path}?${[...others, `offset=${offset}`].join('&')}`;
  return `<${origin}${target.replaceAll(OUTSIDE_URI, encodeURIComponent)}>; rel="next"`;
}
