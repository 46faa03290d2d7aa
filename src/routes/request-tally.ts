/** Usage of one request, from when its caller is known until it is answered or abandoned. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import { CLIENT_GONE } from '../errors.ts';
import type { QuotaUsage, Release } from '../quota/usage-counters.ts';
import type { Identity } from '../store/identities.ts';
import { SESSION_KEY_ID } from '../store/usage.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';

/** Written by the endpoint while it works. */
export interface RequestTally {
  readonly caller: Caller;
  /** The account that it counts for; null: for none. */
  readonly account: Identity | null;
  readonly countsInMinute: boolean;
  readonly startedAtMs: number;
  /** Usage of its account before it; null if it belongs to no account. */
  readonly usedBefore: QuotaUsage | null;
  /** Null when it is counted. */
  reservation: Release | null;
  /** Whether it waits for its turn to read. */
  isWaiting: boolean;
  datasetId: string;
  datasetVersion: number | null;
  rowCount: number;
  /** Bytes that the engine was given to read. */
  scannedBytes: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of its caller, who may still be refused; null where none is known. */
    account: Identity | null;
    /** Null until its caller is let in. */
    tally: RequestTally | null;
  }
}

/** A request counts as one from here on, so that no burst of them gets past a limit. */
export function beginTally(
  { usage }: Services,
  caller: Caller,
  account: Identity | null,
  endpoint: KeyedEndpoint,
): RequestTally {
  const countsInMinute = !endpoint.isMinuteExempt;
  return {
    caller,
    account,
    countsInMinute,
    startedAtMs: performance.now(),
    usedBefore: account && usage.used(account.identityId),
    reservation: account && usage.reserve(account.identityId, countsInMinute),
    isWaiting: false,
    datasetId: '',
    datasetVersion: null,
    rowCount: 0,
    scannedBytes: 0,
  };
}

/** Bytes of a body that is about to be sent. */
export function byteLength(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return ArrayBuffer.isView(body) ? body.byteLength : 0;
}

/** Counts a request whose answer is about to be sent, if it counts for anybody and has not yet. */
export function countTally(
  { usage, clock }: Services,
  tally: RequestTally,
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): void {
  const { caller, account, reservation } = tally;
  if (!account || !reservation) return;
  tally.reservation = null;
  reservation();
  const isGone = reply.raw.destroyed;
  usage.count({
    answeredAtMs: clock.now(),
    requestId: request.id,
    identityId: account.identityId,
    keyId: caller.key?.keyId ?? SESSION_KEY_ID,
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
