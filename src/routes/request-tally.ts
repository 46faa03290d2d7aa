/** What one request used: begun when its caller is known, counted when its answer is sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import { CLIENT_GONE } from '../errors.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';

/** Written by the endpoint while it works. */
export interface RequestTally {
  readonly caller: Caller;
  readonly countsInMinute: boolean;
  readonly startedAtMs: number;
  datasetId: string;
  datasetVersion: number | null;
  rowCount: number;
  /** Bytes that the engine was given to read. */
  scannedBytes: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until its caller is known. */
    tally: RequestTally | null;
  }
}

export function beginTally(caller: Caller, endpoint: KeyedEndpoint): RequestTally {
  return {
    caller,
    countsInMinute: !endpoint.isMinuteExempt,
    startedAtMs: performance.now(),
    datasetId: '',
    datasetVersion: null,
    rowCount: 0,
    scannedBytes: 0,
  };
}

function byteLength(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return ArrayBuffer.isView(body) ? body.byteLength : 0;
}

/** Counts a request whose answer is about to be sent. */
export function countTally(
  { usage, clock }: Services,
  tally: RequestTally,
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): void {
  const isGone = reply.raw.destroyed;
  usage.count({
    answeredAtMs: clock.now(),
    requestId: request.id,
    identityId: tally.caller.identity.identityId,
    keyId: tally.caller.key.keyId,
    datasetId: tally.datasetId,
    datasetVersion: tally.datasetVersion,
    countsInMinute: tally.countsInMinute,
    rowCount: tally.rowCount,
    scannedBytes: tally.scannedBytes,
    returnedBytes: isGone ? 0 : byteLength(body),
    durationMs: performance.now() - tally.startedAtMs,
    status: isGone ? CLIENT_GONE : reply.statusCode,
  });
}
