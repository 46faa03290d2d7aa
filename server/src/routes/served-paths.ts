/**
 * The paths that are served, whatever the method: a request without a route is refused by its path,
 * if there is one. A route for every method of every path would take longer to register than all
 * else that a server does as it starts.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { ApiError } from '../base/errors.ts';
import { splitQuery } from './http-headers.ts';
import { HEADER_BYTES_MAX } from './http-server.ts';

export interface ServedPath {
  /** The path template, which names the path in metrics and logs. */
  readonly url: string;
  /** True if errors have the form of Delta Sharing. */
  readonly isSharing: boolean;
  /** Answers a request whose method is not served. */
  refuse(request: FastifyRequest, reply: FastifyReply): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The path of a request whose method is not served there. */
    refusedPath: ServedPath | null;
  }
  interface FastifyContextConfig {
    readonly isSharing?: boolean;
  }
}

/** How paths are told apart, with and without a route. */
export const ROUTER_OPTIONS = { maxParamLength: HEADER_BYTES_MAX };

export class ServedPaths {
  readonly #router = findMyWay(ROUTER_OPTIONS);
  readonly #prefixes: readonly string[];

  /** `prefixes`: what the interface is below. */
  constructor(prefixes: readonly string[]) {
    this.#prefixes = prefixes;
  }

  add(path: ServedPath): void {
    this.#router.on('GET', path.url, () => undefined, path);
  }

  /** Answers a request for which there is no route: 404, or what its path says. */
  refuse(request: FastifyRequest, reply: FastifyReply): void {
    const path: ServedPath | undefined = this.#router.find('GET', request.url)?.store;
    request.refusedPath = path ?? null;
    if (path) path.refuse(request, reply);
    else if (this.#isOfInterface(request.url)) throw unknownPath();
    else refuseUnknown(request, reply);
  }

  #isOfInterface(url: string): boolean {
    const [path] = splitQuery(url);
    return this.#prefixes.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
  }
}

const UNKNOWN_PAGE = Buffer.from(`<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <title>Page not found</title>
  <main>
    <h1>Page not found</h1>
    <p>There is nothing at this address.</p>
    <ul>
      <li><a href="/">Start page</a></li>
      <li><a href="/console/">Console</a></li>
      <li><a href="/docs">Documentation</a></li>
    </ul>
  </main>
</html>
`);

function unknownPath(): ApiError {
  return new ApiError('not found', 'Not Found');
}

/** People get a page with ways on, programs an ApiError 'not found'. */
export function refuseUnknown({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'Accept');
  if (!headers.accept?.includes('text/html')) throw unknownPath();
  reply.header('content-security-policy', "default-src 'none'").header('cache-control', 'no-store');
  reply.code(404).type('text/html; charset=utf-8').send(UNKNOWN_PAGE);
}

export function refuseMethod(reply: FastifyReply, served: readonly string[]): never {
  reply.header('allow', served.join(', '));
  throw new ApiError('method not allowed', 'Method Not Allowed');
}

/** The template of a request's path, of which there are few: no path that a client made up. */
export function pathTemplate({ refusedPath, routeOptions }: FastifyRequest): string | undefined {
  return refusedPath?.url ?? routeOptions.url;
}

export function speaksSharing({ refusedPath, routeOptions }: FastifyRequest): boolean {
  return refusedPath?.isSharing ?? routeOptions.config?.isSharing === true;
}
