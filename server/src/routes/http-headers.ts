/** Headers: where a request comes from, what of an answer its client holds, wants and is told. */
import { hash } from 'node:crypto';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isIn, peerAddress, sourceAddress } from '../access/source-address.ts';
import { type Address, formatAddress } from '../access/subnet.ts';
import { ApiError } from '../base/errors.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { ContentEncoding, PageBody } from '../formats/format.ts';
import type { NextPage } from '../query/plan-request.ts';
import type { DataRequest } from '../request/data-request.ts';
import { LATEST } from '../request/literals.ts';
import { parseQueryString, plainCharacters, splitValueList } from '../request/query-string.ts';
import { bodyDigest, DIGEST_ALGORITHMS, type DigestAlgorithm } from '../response/body-digest.ts';
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

/** The address as the audit log writes it. */
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

const SCHEME_AND_HOST = /^https?:\/\/([^/?#]*)/i;

const BROKEN_ENCODING = /%(?![\dA-F]{2})/i;

export function splitQuery(target: string): readonly [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark)];
}

/** Path and query of the target, still percent-encoded where that makes a difference. */
export function requestTarget(rawUrl: string): string {
  const target = rawUrl.replace(SCHEME_AND_HOST, '');
  const [path, query] = splitQuery(target);
  const rooted = path === '' ? '/' : path;
  if (!rooted.includes('%') || BROKEN_ENCODING.test(rooted)) return `${rooted}${query}`;
  return `${plainCharacters(rooted)}${query}`;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path that the router matches. The router gives up on a path that it cannot decode; here such
 * a path keeps its segments, so that it reaches the endpoint, which says what is wrong with it.
 * `*`, which is not a path, becomes `/*`, because the router would take it for the root.
 */
export function routedTarget(rawUrl: string): string {
  const target = requestTarget(rawUrl).replace(/^\*/, '/*');
  const [path, query] = splitQuery(target);
  return isDecodable(path) ? target : `${path.replaceAll('%', '%25')}${query}`;
}

/** A host that may stand in a link; the header is the caller's, so anything else is dropped. */
const HOST = /^[A-Za-z0-9._-]{1,253}(:\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?$/;

/**
 * `https://host` without a trailing slash; '' where neither setting nor request names one, which
 * makes links relative. Only a trusted proxy's `X-Forwarded-Proto` and `X-Forwarded-Host` count.
 */
export function requestOrigin(request: FastifyRequest, config: Config): string {
  if (config.publicUrl !== null) return config.publicUrl;
  // The target is a path alone, as it mostly is, or names the host.
  const ownHost = SCHEME_AND_HOST.exec(request.originalUrl)?.[1] ?? request.headers.host;
  const host = proxyHeader(request, 'x-forwarded-host', config) ?? ownHost;
  if (host === undefined || !HOST.test(host)) return '';
  const isSecure = proxyHeader(request, 'x-forwarded-proto', config)?.toLowerCase() === 'https';
  return `${isSecure ? 'https' : 'http'}://${host}`;
}

const TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** True if a list names the tag, its weak form or any (RFC 9110). */
export function namesTag(text: string, tag: string): boolean {
  if (text.trim() === '*') return true;
  return [...text.matchAll(TAG)].some(([, held]) => held === tag.replace(/^W\//, ''));
}

/** True if the client already has the answer with this tag. */
export function matchesEntityTag(request: FastifyRequest, tag: string): boolean {
  return namesTag(request.headers['if-none-match'] ?? '', tag);
}

/** Private, because it is for one account; to be asked about again before every use. */
export function setEntityTag(reply: FastifyReply, tag: string): FastifyReply {
  return reply.header('etag', tag).header('cache-control', 'private, no-cache');
}

/** Tags an answer by its body; returns the body to send, none where the client holds it. */
export function revalidateBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
): string | null {
  const tag = `"${hash('sha256', body, 'base64url')}"`;
  setEntityTag(reply, tag);
  if (!matchesEntityTag(request, tag)) return body;
  reply.code(304).removeHeader('content-type');
  return null;
}

const AS_IT_IS = 'identity';

/**
 * The first of the format's encodings that the client prefers most; null: the page is sent as it
 * is. A page with a receipt is sent as it is, too, because people compare its digest with their
 * unpacked copy.
 */
export function pageEncoding(
  acceptEncoding: string | undefined,
  { responseFormat, receipt }: Pick<DataRequest, 'responseFormat' | 'receipt'>,
): ContentEncoding | null {
  const { encodings } = responseFormat;
  if (acceptEncoding === undefined || receipt || encodings.length === 0) return null;
  const chosen = negotiate(acceptEncoding, [...encodings, AS_IT_IS]);
  return encodings.find((encoding) => encoding === chosen) ?? null;
}

/**
 * True if nothing must be known before the first byte, and the client notices where the page breaks
 * off: before HTTP/1.1, an answer without a length that breaks off looks like one that ends.
 */
export function maySendEarly(
  { method, raw, headers }: FastifyRequest,
  { countsRows, receipt }: Pick<DataRequest, 'countsRows' | 'receipt'>,
  encoding: ContentEncoding | null,
): boolean {
  const isCutNoticed = raw.httpVersionMajor > 1 || raw.httpVersion === '1.1';
  const wantsWhole =
    countsRows || receipt || encoding !== null || headers['want-repr-digest'] !== undefined;
  return method === 'GET' && isCutNoticed && !wantsWhole;
}

/** A member of the header: an algorithm, and from 0, never, to 10 how much it is wanted. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=(\d|10)$/;

const SEPARATOR = /[ \t]*,[ \t]*/;

/**
 * The algorithm that the client wants most of those that there are; null: none. Anything else is
 * passed over.
 */
export function wantedDigest(header: string): DigestAlgorithm | null {
  const members = header
    .trim()
    .split(SEPARATOR)
    .map((member) => MEMBER.exec(member));
  // If one is given twice, the last one counts.
  const wanted = new Map(members.map((match) => [match?.[1], Number(match?.[2] ?? 0)]));
  const preferenceOf = (algorithm: DigestAlgorithm) => wanted.get(algorithm) ?? 0;
  const [best] = DIGEST_ALGORITHMS.toSorted((a, b) => preferenceOf(b) - preferenceOf(a));
  return best !== undefined && preferenceOf(best) > 0 ? best : null;
}

/** The value of `Repr-Digest` for a request; null where it wants none. */
export async function reprDigest(
  { headers }: FastifyRequest,
  body: PageBody,
): Promise<string | null> {
  const header = headers['want-repr-digest'];
  const algorithm = header === undefined ? null : wantedDigest(String(header));
  if (algorithm === null) return null;
  return `${algorithm}=:${(await bodyDigest(body, algorithm)).toString('base64')}:`;
}

const ENCODED = /%([\dA-F]{2})/gi;

/** The value of a digest field, such as `Repr-Digest`. */
export function digestField(bytes: string | Buffer): string {
  return `sha-256=:${hash('sha256', bytes, 'base64')}:`;
}

/**
 * `X-Request-Digest`: of path and query below the version prefix, without percent-encoding, which
 * may change on the way. A connection or a cache that mixes up two answers is found by it.
 */
export function requestDigest(target: string): string {
  // Some write a space of the query as a plus sign, and some proxies do not.
  const spaced = target.replace(/\?.*/s, (query) => query.replaceAll('+', ' '));
  const plain = spaced.replace(ENCODED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return digestField(Buffer.from(plain, 'latin1'));
}

/** Characters that clients send but a URI (RFC 3986) may not have; some would end the link. */
const OUTSIDE_URI = /[^!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]/g;

function nameOf(part: string): string {
  const [name = ''] = part.split('=');
  return decodeURIComponent(name);
}

/**
 * Path and query string of the next page, raw as they were but for its parameters and for the date
 * in place of `latest`: in the path of ticks the segment before the identifier, and values of the
 * column.
 */
export function nextTarget(
  asked: string,
  queryString: string,
  { parameters, replaced = [], identifier, latest }: NextPage,
): readonly [path: string, queryString: string] {
  const dateOf = (text: string) => (latest && text === LATEST ? latest.date : text);
  const dated = (part: string) => {
    const [{ name = '', value = '' } = {}] = parseQueryString(part);
    const texts = splitValueList(value) ?? [];
    if (name.split('.')[0] !== latest?.column || !texts.includes(LATEST)) return part;
    return `${part.split('=')[0]}=${texts.map(dateOf)}`;
  };
  const own = [...replaced, ...Object.keys(parameters)];
  const others = queryString
    .split('&')
    .filter((part) => part !== '' && !own.includes(nameOf(part)))
    .map(dated);
  const next = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const path = asked
    .replace(/[^/]+(?=\/[^/]+(?:\/aggregate)?$)/, dateOf)
    .replace(/[^/]+(?=(?:\/aggregate)?$)/, (text) => identifier ?? text);
  return [path, [...others, ...next].join('&')];
}

/** The parts of a link to the same endpoint. */
interface LinkedExchange {
  readonly services: { readonly config: Config };
  readonly request: FastifyRequest;
  readonly queryString: string;
}

/**
 * The request's own URL with other parameters. It is relative to the request where neither setting
 * nor request names a host.
 */
export function nextLink(
  { services, request, queryString }: LinkedExchange,
  next: NextPage,
): string {
  const origin = requestOrigin(request, services.config);
  const [asked = ''] = request.raw.url?.split('?') ?? [];
  const target = nextTarget(asked, queryString, next).join('?');
  return `<${origin}${target.replaceAll(OUTSIDE_URI, encodeURIComponent)}>; rel="next"`;
}

export function versionHeaders({ version, restatement }: QueryPlan): Record<string, string> {
  return {
    'X-Dataset-Version': `${version ?? 0}`,
    ...(restatement && { 'X-Factors-Version': `${restatement.factors.version ?? 0}` }),
  };
}

export interface StaticAnswer {
  readonly body: Buffer;
  readonly contentType: string;
  readonly tag: string;
  readonly digest: string;
}

export function staticAnswer(body: Buffer, contentType: string): StaticAnswer {
  const tag = `"${hash('sha256', body, 'base64url')}"`;
  return { body, contentType, tag, digest: digestField(body) };
}

/** An answer by its content encodings; '' is the answer as it is. */
export type Forms = ReadonlyMap<string, StaticAnswer>;

/** Browsers and proxies may keep it, but have to ask about it before each use. */
const ASK_FIRST = 'public, no-cache';

/**
 * Sends the answer, or a 304 to a client that holds it; an ApiError 'precondition failed' if it
 * wants another.
 */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, contentType, tag, digest }: StaticAnswer,
  cacheControl = ASK_FIRST,
): FastifyReply {
  const { 'if-match': wanted = '*', 'if-none-match': held = '' } = request.headers;
  if (!namesTag(wanted, tag)) throw new ApiError('precondition failed', 'Precondition Failed');
  reply.header('etag', tag).header('cache-control', cacheControl);
  if (namesTag(held, tag)) return reply.code(304).send();
  return reply.header('Repr-Digest', digest).type(contentType).send(body);
}

/** Sends the form that the client's `Accept-Encoding` prefers, as `sendStatic` does. */
export function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  forms: Forms,
  cacheControl = ASK_FIRST,
): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = negotiate(accepted, [...forms.keys()].filter(Boolean)) ?? '';
  reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
  if (encoding !== '') reply.header('content-encoding', encoding);
  return sendStatic(request, reply, forms.get(encoding) as StaticAnswer, cacheControl);
}
