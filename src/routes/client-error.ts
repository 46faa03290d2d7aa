/** Answers to bytes that are not an HTTP request; no route or hook ever sees them. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

const ANSWERS: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
};
const DEFAULT_ANSWER = ['400 Bad Request', 'The request is not valid HTTP'] as const;

export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = ANSWERS[error.code ?? ''] ?? DEFAULT_ANSWER;
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    `x-amzn-RequestId: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
