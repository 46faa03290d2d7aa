/** The server that the interface listens on: how long and how large what arrives may be. */

import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyServerOptions } from 'fastify';
import { systemClock } from '../base/clock.ts';
import type { OpenConnections } from '../operation/open-connections.ts';
import { shownPath, withoutKeys } from '../operation/shown.ts';
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

interface RawAnswer {
  /** Code and reason of the status line. */
  readonly status: string;
  readonly detail: string;
  /** Header lines beside the usual ones. */
  readonly headers?: readonly string[];
}

const ANSWERS: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'The request headers are too long',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    detail: 'The request took too long to arrive',
  },
};
const NOT_HTTP: RawAnswer = { status: '400 Bad Request', detail: 'The request is not valid HTTP' };
const NOT_A_TUNNEL: RawAnswer = {
  status: '405 Method Not Allowed',
  detail: 'Method Not Allowed',
  headers: ['allow: GET'],
};

function bytesOf({ status, detail, headers = [] }: RawAnswer): string {
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    `x-amzn-RequestId: ${randomUUID()}`,
    ...headers,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Answers what is not HTTP, or does not arrive in time. */
export function clientErrorHandler(connections: OpenConnections) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else connections.endWith(socket, bytesOf(ANSWERS[error.code ?? ''] ?? NOT_HTTP));
  };
}

/** CONNECT is refused; an expectation that nobody knows is none, as HTTP allows. */
export function answerOddRequests(server: Server, connections: OpenConnections): void {
  server.on('connect', ({ socket }) => {
    socket.on('error', () => socket.destroy());
    connections.endWith(socket, bytesOf(NOT_A_TUNNEL));
  });
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
}

/** An error may quote what it was about, so its texts are searched for keys. */
function loggedError(error: Error & { code?: unknown; cause?: unknown }) {
  const { name, message, stack, code, cause } = error;
  const causeStack = cause instanceof Error ? `\ncaused by: ${cause.stack}` : '';
  return {
    type: name,
    message: withoutKeys(message),
    stack: withoutKeys(`${stack}${causeStack}`),
    ...(code === undefined ? {} : { code: withoutKeys(String(code)) }),
  };
}

type LoggerOptions = Exclude<NonNullable<FastifyServerOptions['logger']>, boolean>;

export function loggerOptions(level: Config['logLevel']): LoggerOptions {
  return {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date(systemClock.now()).toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: {
      req: (request) => ({ method: request.method, path: shownPath(request.url) }),
      res: (reply) => ({ status: reply.statusCode }),
      err: loggedError,
    },
    stream: process.stderr,
  };
}
