/**
 * The cookie that carries a session's token. Read by hand: a single name counts, and where it comes
 * twice, somebody else may have put one of them there, so that neither does.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOKEN } from '../access/session.ts';
import type { Config } from '../settings/config.ts';
import { isOwnOrigin } from './cors.ts';
import { requestOrigin } from './http-headers.ts';

const NAME = 'ticklake_session';

/** The prefix has browsers take the cookie from this host alone, and over TLS. */
const SECURE_NAME = `__Host-${NAME}`;

function isSecure(request: FastifyRequest, config: Config): boolean {
  return requestOrigin(request, config).startsWith('https://');
}

/**
 * Requests that a page of another site or another port had a browser send are nobody's. Without TLS
 * browsers do not tell of the site, but still of the origin.
 */
function isOfOwnPage(request: FastifyRequest, config: Config): boolean {
  const site = request.headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  return isOwnSite && isOwnOrigin(request, config);
}

/** The token that a request carries; null without exactly one that looks like one. */
export function sessionToken(request: FastifyRequest, config: Config): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined || !isOfOwnPage(request, config)) return null;
  const start = `${isSecure(request, config) ? SECURE_NAME : NAME}=`;
  const [token, ...others] = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  return token !== undefined && others.length === 0 && TOKEN.test(token) ? token : null;
}

/** Has the browser keep a token until it is closed, or forget it: null. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  config: Config,
  token: string | null,
): void {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict'];
  const secure = isSecure(request, config);
  if (secure) attributes.push('Secure');
  if (token === null) attributes.push('Max-Age=0');
  const pair = `${secure ? SECURE_NAME : NAME}=${token ?? ''}`;
  reply.header('set-cookie', [pair, ...attributes].join('; '));
}
