/**
 * Usage of one request, from when its caller is known until it is answered or abandoned: it is
 * reserved, refused where a quota is used up, and counted once.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Claim } from '../access/admission.ts';
import type { Caller } from '../access/authenticate.ts';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { capitalized } from '../base/printable.ts';
import { boardDetail, boardUrl, type RequestBoard } from '../operation/request-board.ts';
import type { RequestMetrics } from '../operation/request-metrics.ts';
import { shownPath } from '../operation/shown.ts';
import type { ReadTally } from '../query/reader.ts';
import type { Reservation } from '../quota/quota-counters.ts';
import { excessText, findExcesses, type QuotaExcess, utcMonth } from '../quota/quota-excess.ts';
import type { ReservedBytes } from '../quota/release.ts';
import type { UsageMeter } from '../quota/usage-meter.ts';
import type { Config } from '../settings/config.ts';
import type { Account } from '../store/accounts.ts';
import {
  noUsage,
  QUANTITIES,
  QUANTITY_NAMES,
  QUOTA_SPANS,
  type Quantity,
  type QuotaSpan,
  type QuotaUsage,
  STEP_STATUS,
} from '../store/quantities.ts';
import { type MomentUsage, SESSION_KEY_ID, type UsageRecord } from '../store/usage.ts';
import { STATUS_OF } from './error-status.ts';
import { pathTemplate } from './served-paths.ts';

interface TallyServices {
  readonly usage: UsageMeter;
  readonly clock: Clock;
  readonly config: Config;
}

/** How requests of an endpoint count. */
interface CountedEndpoint {
  readonly servesRows?: boolean;
  readonly isMinuteExempt?: boolean;
}

/** Written by the endpoint while it works. */
export interface RequestTally extends ReadTally {
  readonly caller: Caller;
  readonly claim: Claim;
  /** The account that it counts for; null: for none. */
  readonly account: Account | null;
  readonly countsInMinute: boolean;
  readonly startedAtMs: number;
  /** Usage of its account before it; null if it belongs to no account. */
  readonly usedBefore: QuotaUsage | null;
  /** Null when it is counted. */
  reservation: Reservation | null;
  /** Why it is refused and what helps; empty: it is not. */
  reason: string;
  /** Set for a body that is read while it is sent; null for any other. */
  sending: Sending | null;
}

/** A body on its way to the client. */
export interface Sending {
  /** Bytes that the connection has taken so far. */
  sentBytes: number;
  /** As many of them as steps have counted. */
  countedBytes: number;
  /** When the last step was counted, or sending began. */
  countedAtMs: number;
  /** Bytes reserved but not yet counted. */
  readonly reserved: ReservedBytes;
}

export function beginSending(reserved: ReservedBytes): Sending {
  return { sentBytes: 0, countedBytes: 0, countedAtMs: performance.now(), reserved };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of its caller, who may still be refused; null where none is known. */
    account: Account | null;
    /** Null until its caller is let in. */
    tally: RequestTally | null;
  }
}

interface BegunRequest extends Pick<RequestTally, 'caller' | 'claim' | 'account' | 'reservation'> {
  readonly endpoint: CountedEndpoint;
}

/** The reservation is the account's. */
export function beginTally({ endpoint, reservation, ...begun }: BegunRequest): RequestTally {
  return {
    ...begun,
    reservation,
    countsInMinute: !endpoint.isMinuteExempt,
    startedAtMs: performance.now(),
    usedBefore: reservation?.usedBefore ?? null,
    isWaiting: false,
    datasetId: '',
    datasetVersion: null,
    symbols: [],
    rowCount: 0,
    scannedBytes: 0,
    reason: '',
    sending: null,
  };
}

/** Bytes of a body that is about to be sent. */
export function byteLength(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return ArrayBuffer.isView(body) ? body.byteLength : 0;
}

/** The ledger keeps so much of a path and of a reason. */
const LEDGER_CHARACTERS_MAX = 500;

/** Counts a request whose answer is about to be sent, if it counts for anybody and has not yet. */
export function countTally(
  { usage, clock }: TallyServices,
  tally: RequestTally,
  reply: FastifyReply,
  body: unknown,
): void {
  const { account, reservation, sending } = tally;
  if (!account || !reservation) return;
  tally.reservation = null;
  sending?.reserved.release();
  const isGone = !reply.raw.writableFinished && reply.raw.destroyed;
  const { countsInMinute, rowCount, scannedBytes } = tally;
  const record: UsageRecord = {
    ...placeOf(tally, account, reply.request, clock),
    ...{ countsInMinute, rowCount, scannedBytes },
    returnedBytes: sending ? uncounted(sending) : isGone ? 0 : byteLength(body),
    status: isGone ? STATUS_OF['client gone'] : reply.statusCode,
    // Nobody pays for what was refused.
    symbols: reply.statusCode < 400 ? tally.symbols : [],
    path: boardUrl(reply.request.originalUrl, LEDGER_CHARACTERS_MAX),
    reason: boardDetail(tally.reason, LEDGER_CHARACTERS_MAX),
  };
  usage.count(record, reservation);
}

/** Releases what an answer consists of when that is sent, or its client gone. */
export function releaseAfter({ raw }: FastifyReply, held: Buffer | { release(): void }): void {
  if (Buffer.isBuffer(held)) return;
  if (raw.destroyed) held.release();
  else raw.once('close', () => held.release());
}

/** A client that goes away may leave nothing to be answered. */
export function countWhenGone(
  services: TallyServices,
  tally: RequestTally,
  reply: FastifyReply,
): void {
  reply.raw.once('close', () => countTally(services, tally, reply, undefined));
}

/** Who asked for what, and when. */
function placeOf(
  { caller, datasetId, datasetVersion, startedAtMs }: RequestTally,
  { accountId }: Account,
  { id: requestId }: FastifyRequest,
  clock: Clock,
) {
  return {
    answeredAtMs: clock.now(),
    ...{ requestId, accountId, datasetId, datasetVersion },
    keyId: caller.key?.keyId ?? SESSION_KEY_ID,
    durationMs: performance.now() - startedAtMs,
  };
}

const uncounted = ({ sentBytes, countedBytes }: Sending) => sentBytes - countedBytes;

const MS_PER_SECOND = 1000;
const MINUTE_MS = 60_000;

/** A step has at least so many bytes, and at least so much time has passed since the one before. */
const STEP_BYTES = 8 * 1024 * 1024;
const STEP_MS = 1000;

/**
 * Counts what was sent since the last step, if that is enough for another one, so that a crash
 * loses no more. While the store does not take what is counted, steps wait, so that they take
 * nobody's place there.
 */
export function countStep(
  { usage, clock }: TallyServices,
  tally: RequestTally,
  request: FastifyRequest,
): void {
  const { account, reservation, sending } = tally;
  if (!account || !reservation || !sending || uncounted(sending) < STEP_BYTES) return;
  const nowMs = performance.now();
  if (nowMs - sending.countedAtMs < STEP_MS || usage.pendingAgeMs > STEP_MS) return;
  const returnedBytes = uncounted(sending);
  sending.countedBytes = sending.sentBytes;
  sending.countedAtMs = nowMs;
  sending.reserved.giveBack(returnedBytes);
  usage.countStep({
    ...placeOf(tally, account, request, clock),
    ...{ countsInMinute: false, rowCount: 0, scannedBytes: 0, returnedBytes },
    status: STEP_STATUS,
  });
}

const ASKS_FOR_LIMITS = /(?:^|,)[ \t]*rate-limit[ \t]*(?:$|[,;=])/i;

/** The header that shows what is left of a limit, such as `X-RateLimit-Minute-Data-Scanned`. */
export function limitHeader(span: QuotaSpan, quantity: Quantity): string {
  const words = [span, ...QUANTITIES[quantity].field.split('_')];
  return `X-RateLimit-${words.map(capitalized).join('-')}`;
}

/**
 * Shows what is left of each limit if the request has `Prefer: rate-limit`. The request itself is
 * charged by then, and its bytes are not.
 */
export function showLimits(
  { clock }: TallyServices,
  { account, usedBefore, countsInMinute }: RequestTally,
  reply: FastifyReply,
): void {
  const { prefer = '' } = reply.request.headers;
  if (!account || !usedBefore || !ASKS_FOR_LIMITS.test(String(prefer))) return;
  const nowMs = clock.now();
  const resetMs = { month: utcMonth(nowMs).endMs - nowMs, minute: MINUTE_MS };
  for (const span of QUOTA_SPANS) {
    const reset = Math.ceil(resetMs[span] / MS_PER_SECOND);
    for (const quantity of QUANTITY_NAMES) {
      const limit = account.limits[span][quantity];
      if (limit === null) continue;
      const isCharged = quantity === 'requests' && (span === 'month' || countsInMinute);
      const remaining = Math.max(0, limit - usedBefore[span][quantity] - Number(isCharged));
      const value = `limit=${limit}, remaining=${remaining}, reset=${reset}`;
      reply.header(limitHeader(span, quantity), value);
    }
  }
}

/** Clients that were refused together come back over so many seconds. */
const RETRY_SPREAD_SECONDS = 10;

/**
 * Refuses with 'too many requests', or 'forbidden' for a month's limit outside the data endpoints,
 * when a limit was used up before.
 */
export async function requireQuota(
  services: TallyServices,
  { account, caller, usedBefore, countsInMinute }: RequestTally,
  endpoint: CountedEndpoint,
  reply: FastifyReply,
): Promise<void> {
  if (!account || !usedBefore) return;
  const { accountId, limits } = account;
  const excesses = findExcesses(limits, usedBefore, !countsInMinute);
  const [first] = excesses;
  if (!first) return;
  const isForbidden = first.span === 'month' && !endpoint.servesRows;
  const text = excessText(first, isForbidden ? ' / ' : '/');
  const waitSeconds = await secondsUntilClear(services, accountId, excesses, text);
  const clearsAt = isoSeconds(services.clock.now() + waitSeconds * MS_PER_SECOND);
  const hint = `The limit lets requests pass again in ${waitSeconds} seconds, at ${clearsAt}`;
  if (isForbidden) throw new ApiError('forbidden', text, hint);
  reply.headers({
    'X-RateLimit-Limit': `${first.limit}`,
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': `${waitSeconds}`,
    'X-RateLimit-Window': first.span,
    ...retryAfter(services, caller.key?.keyId ?? 0, waitSeconds),
  });
  throw new ApiError('too many requests', text, hint);
}

/** Until the same request could pass, given that its refusal counts too. */
async function secondsUntilClear(
  { usage, clock }: TallyServices,
  accountId: number,
  excesses: readonly QuotaExcess[],
  text: string,
): Promise<number> {
  const atMs = clock.now();
  const returnedBytes = Buffer.byteLength(JSON.stringify({ detail: text }));
  // As a request it is reserved already.
  const refusal: MomentUsage = { ...noUsage(), atMs, returnedBytes };
  const clearsAtMs = await Promise.all(
    excesses.map(({ span, quantity, limit }) =>
      span === 'month'
        ? utcMonth(atMs).endMs
        : usage.counters.minuteClearsAtMs(accountId, quantity, limit, refusal),
    ),
  );
  return Math.ceil((Math.max(...clearsAtMs) - atMs) / 1000);
}

function retryAfter({ config }: TallyServices, keyId: number, waitSeconds: number) {
  if (config.retryAfter === 'off') return {};
  return { 'Retry-After': `${waitSeconds + (keyId % RETRY_SPREAD_SECONDS)}` };
}

export interface RunningRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Milliseconds of `performance.now()`. */
  readonly startedAtMs: number;
}

export interface RequestObserver {
  readonly metrics: RequestMetrics;
  readonly board: RequestBoard<RunningRequest>;
  /** True if answered requests are logged. */
  readonly isLogged: boolean;
  callerOf(request: FastifyRequest): Caller | undefined;
}

function logRequest(
  observer: RequestObserver,
  request: FastifyRequest,
  { status, durationMs, bytes }: { status: number; durationMs: number; bytes: number },
): void {
  const caller = observer.callerOf(request);
  request.log.info(
    {
      method: request.method,
      path: shownPath(request.raw.url ?? ''),
      status,
      ms: Math.round(durationMs * MS_PER_SECOND) / MS_PER_SECOND,
      bytes,
      identity_id: caller?.account?.accountId ?? null,
      key_id: caller?.key?.keyId ?? null,
      person_id: caller?.key === null ? caller.person.personId : null,
    },
    'answered',
  );
}

/** Listeners for the end of one answer: connection, turn, memory, count, stream and framework. */
const LISTENERS_MAX = 20;

/** For a body of unknown length, the bytes counted while sending. */
function sentBytes({ tally }: FastifyRequest, reply: FastifyReply): number {
  return tally?.sending?.sentBytes ?? Number(reply.getHeader('content-length') ?? 0);
}

export function observeRequest(
  observer: RequestObserver,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { metrics, board } = observer;
  const startedAtMs = performance.now();
  const running = { request, reply, startedAtMs };
  board.begin(running);
  const observe = (isWhole: boolean) => {
    reply.raw.off('finish', onFinish).off('close', onClose);
    board.end(running);
    const status = isWhole ? reply.raw.statusCode : STATUS_OF['client gone'];
    const durationMs = performance.now() - startedAtMs;
    const bytes = isWhole ? sentBytes(request, reply) : 0;
    const endpoint = pathTemplate(request) ?? 'none';
    metrics.requests.inc({ endpoint, status });
    metrics.durations.observe(
      { endpoint, class: `${Math.floor(status / 100)}xx` },
      durationMs / MS_PER_SECOND,
    );
    metrics.returnedBytes.inc(bytes);
    if (observer.isLogged) logRequest(observer, request, { status, durationMs, bytes });
  };
  // Whichever comes first: a whole answer finishes, any other one just closes.
  const onFinish = () => observe(true);
  const onClose = () => observe(false);
  reply.raw.setMaxListeners(LISTENERS_MAX).on('finish', onFinish).on('close', onClose);
}
