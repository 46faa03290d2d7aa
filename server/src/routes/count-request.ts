/** Counts a request: from when its caller is known until it is answered or abandoned. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import type { QuotaUsage } from '../quota/usage-counters.ts';
import type { Identity } from '../store/identities.ts';
import { SESSION_KEY_ID } from '../store/usage.ts';
import type { KeyedEndpoint, Services } from './endpoint.ts';
import { STATUS_OF } from './error-status.ts';
import type { RequestTally } from './request-tally.ts';

/**
 * A request counts as one from here on, so that no burst of them gets past a limit: `usedBefore` has to
 * be of the same moment.
 */
export function beginTally(
  { usage }: Services,
  caller: Caller,
  account: Identity | null,
  usedBefore: QuotaUsage | null,
  endpoint: KeyedEndpoint,
): RequestTally {
  const countsInMinute = !endpoint.isMinuteExempt;
  return {
    caller,
    account,
    countsInMinute,
    startedAtMs: performance.now(),
    usedBefore,
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
    status: isGone ? STATUS_OF['client gone'] : reply.statusCode,
  });
}
