/** Answers to what Node does not hand on as a request: no route or hook ever sees it. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

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

function endWith({ status, detail, headers = [] }: RawAnswer, socket: Duplex): void {
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
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else endWith(ANSWERS[error.code ?? ''] ?? NOT_HTTP, socket);
}

/** CONNECT is refused; an expectation that nobody knows is none, as HTTP allows. */
export function answerOddRequests(server: Server): void {
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    endWith(NOT_A_TUNNEL, socket);
  });
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
}
