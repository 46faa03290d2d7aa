/** Answers to what Node does not hand on as a request: no route or hook ever sees it. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenConnections } from '../operation/open-connections.ts';

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

type ClientError = Error & { code?: string };

/** Answers what is not HTTP, or does not arrive in time. */
export function clientErrorHandler(connections: OpenConnections) {
  return (error: ClientError, socket: Socket): void => {
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
