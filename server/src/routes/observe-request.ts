/** Counts each request, and logs it in one line, when its answer is out or its client gone. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import type { RequestBoard } from '../operation/request-board.ts';
import type { RequestMetrics } from '../operation/request-metrics.ts';
import { shownPath } from '../operation/shown.ts';
import { STATUS_OF } from './error-status.ts';
import { pathTemplate } from './served-paths.ts';

const MS_PER_SECOND = 1000;

export interface RunningRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Milliseconds of `performance.now()`. */
  readonly startedAtMs: number;
}

export interface RequestObserver {
  readonly metrics: RequestMetrics;
  readonly board: RequestBoard<RunningRequest>;
  /** Whether answered requests are logged at all. */
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
      identity_id: caller?.identity?.identityId ?? null,
      key_id: caller?.key?.keyId ?? null,
      person_id: caller?.key === null ? caller.person.personId : null,
    },
    'answered',
  );
}

/** Those that wait for the end of one answer: its connection, turn, memory, count and stream, and the framework. */
const LISTENERS_MAX = 20;

/** Of a body whose length was not told before, as many as were counted. */
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
