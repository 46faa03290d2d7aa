/** The `Link` header of a page after which there is another one. */
import type { Exchange } from './endpoint.ts';
import { requestOrigin } from './origin.ts';

/** Characters that clients send but a URI (RFC 3986) may not have; some would end the link. */
const OUTSIDE_URI = /[^!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]/g;

/** Parameters of the next page, with their values; they stand in place of those in `replaced`. */
export interface NextPage {
  readonly parameters: Readonly<Record<string, string | number>>;
  /** Names that the request may have beside those of the parameters. */
  readonly replaced?: readonly string[] | undefined;
  /** What stands in place of the last segment of the path; absent: that stays. */
  readonly lastSegment?: string | undefined;
}

function nameOf(part: string): string {
  const [name = ''] = part.split('=');
  return decodeURIComponent(name);
}

/** A query string with other parameters, raw as it was. */
export function withParameters(
  queryString: string,
  { parameters, replaced = [] }: NextPage,
): string {
  const own = [...replaced, ...Object.keys(parameters)];
  const others = queryString
    .split('&')
    .filter((part) => part !== '' && !own.includes(nameOf(part)));
  const next = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return [...others, ...next].join('&');
}

/**
 * The request's own URL with other parameters. It is relative to the request where neither setting
 * nor request names a host.
 */
export function nextLink({ services, request, queryString }: Exchange, next: NextPage): string {
  const origin = requestOrigin(request, services.config);
  const [path = ''] = request.raw.url?.split('?') ?? [];
  const { lastSegment } = next;
  const segments = path.slice(0, path.lastIndexOf('/') + 1);
  const nextPath = lastSegment === undefined ? path : `${segments}${lastSegment}`;
  const target = `${nextPath}?${withParameters(queryString, next)}`;
  return `<${origin}${target.replaceAll(OUTSIDE_URI, encodeURIComponent)}>; rel="next"`;
}
