/** The server that the interface listens on: how long and how large what arrives may be. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { OpenConnections } from '../operation/open-connections.ts';
import type { Config } from '../settings/config.ts';

/** Room for a URL of the greatest length that can be set, and the other headers. */
export const HEADER_BYTES_MAX = 128 * 1024;

/** Interval of the check for requests that take too long to arrive, in milliseconds. */
const CHECK_CONNECTIONS_MS = 5000;

/** Longer than proxies keep a connection that nobody uses, so that they close it first. */
const KEEP_ALIVE_MS = 72_000;

export function createHttpServer(
  listener: RequestListener,
  { requestTimeoutMs, queryTimeoutMs, stallTimeoutMs }: Config,
  connections: OpenConnections,
): Server {
  const options = {
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, CHECK_CONNECTIONS_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server = createServer(options, connections.inTurn(listener));
  // No byte moves while a query runs.
  server.setTimeout(queryTimeoutMs + stallTimeoutMs);
  connections.watch(server);
  return server;
}
