/** Failures -> answers. The caller reads what concerns the request; the log keeps the rest. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatAddress } from '../access/subnet.ts';
import { ApiError, type ErrorKind } from '../base/errors.ts';
import { failureAdvice } from '../base/failure-text.ts';
import { UnreachablePartError, UnreadablePartError } from '../engine/engine.ts';
import { isOutOfFiles, outOfFilesError } from '../operation/open-connections.ts';
import { isHeaderText } from '../query/hint.ts';
import type { Config } from '../settings/config.ts';
import { storageProblem } from '../store/store-errors.ts';
import type { Services } from './endpoint.ts';
import { STATUS_OF } from './error-status.ts';
import { requestSource } from './http-headers.ts';
import { badBody } from './request-fields.ts';
import { pathTemplate, speaksSharing } from './served-paths.ts';

/** Refusals of the framework that have a documented answer. */
const FRAMEWORK_ERRORS: Readonly<Record<string, (bodyBytesMax: number) => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (bodyBytesMax) =>
    badBody('too_long', `The body should be at most ${bodyBytesMax} bytes long`),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    badBody('wrong_length', 'The length of the body should match its Content-Length'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    badBody('wrong_content_type', 'The body should be JSON, with Content-Type application/json'),
};

/** True if the engine ran out of memory: another request, or this one later, may succeed. */
function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith('Out of Memory Error') || isOutOfMemory(error.cause);
}

/** Why a request failed that was in order, as far as it is known, for the operator. */
function causeOf(error: unknown): string {
  const outOfFiles = failureAdvice(outOfFilesError(error));
  if (outOfFiles !== null) return outOfFiles;
  if (isOutOfMemory(error)) return 'the engine is out of memory; raise TICKLAKE_ENGINE_MEMORY_MB';
  return error instanceof UnreadablePartError ? error.message : 'request failed';
}

type RefusingServices = Pick<Services, 'board' | 'clock' | 'config'>;

const INTERNAL = new ApiError('internal', 'Internal server error');
const CLIENT_GONE = new ApiError('client gone', 'The client went away');
const UNAVAILABLE = new ApiError('unavailable', 'Service unavailable');

function publicError(
  error: unknown,
  { routeOptions }: FastifyRequest,
  { bodyBytesMax }: Config,
): ApiError {
  if (error instanceof ApiError) return error;
  if (storageProblem(error) !== null || isOutOfFiles(error)) return UNAVAILABLE;
  if (error instanceof UnreadablePartError || isOutOfMemory(error)) return UNAVAILABLE;
  const { code } = error as { code?: string };
  return FRAMEWORK_ERRORS[code ?? '']?.(routeOptions.bodyLimit ?? bodyBytesMax) ?? INTERNAL;
}

/** Headers already set for the body that the error replaces. */
const HEADERS_OF_BODY = [
  'etag',
  'repr-digest',
  'content-type',
  'content-length',
  'content-encoding',
  'content-disposition',
  'x-receipt',
  'link',
] as const;

/**
 * An error is another body, which nobody may keep. A 416 alone says a range: how long the file is.
 */
function forgetBody(reply: FastifyReply, status: number): void {
  for (const name of HEADERS_OF_BODY) reply.removeHeader(name);
  if (status !== STATUS_OF['range not satisfiable']) reply.removeHeader('content-range');
  if (reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
}

/** Notes what was refused by an endpoint; paths that lead nowhere are none of the operator's. */
function noteRefusal(
  { board, clock, config }: RefusingServices,
  { kind, message }: ApiError,
  request: FastifyRequest,
): void {
  const url = pathTemplate(request);
  if (!config.prefixes.some((prefix) => url?.startsWith(`${prefix}/`))) return;
  const address = requestSource(request, config);
  board.refuse({
    requestId: request.id,
    atMs: clock.now(),
    account: request.account,
    sourceAddress: address && formatAddress(address),
    method: request.method,
    url: request.originalUrl,
    status: STATUS_OF[kind],
    detail: message,
  });
}

export function answerError(
  services: RefusingServices,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { config } = services;
  // The client cut its body off, or the data behind the answer is gone: not a fault of the server.
  const isLeft =
    request.raw.socket.destroyed &&
    !(error instanceof ApiError || error instanceof UnreadablePartError) &&
    storageProblem(error) === null;
  if (isLeft) request.log.debug({ err: error, req: request }, CLIENT_GONE.message);
  const answered = isLeft ? CLIENT_GONE : publicError(error, request, config);
  const { kind, detail, message } = answered;
  const status = STATUS_OF[kind];
  if (kind !== 'client gone') noteRefusal(services, answered, request);
  if (request.tally) request.tally.reason = [message, answered.hint ?? []].flat().join('. ');
  if (error instanceof ApiError) {
    // Meant, but the operator may have to do something about it.
    if (status >= 500) request.log.warn({ req: request, status }, message);
  } else if (storageProblem(error) !== null) {
    const reason = storageProblem(error);
    request.log.error({ req: request, status }, `The control store failed: ${reason}`);
  } else if (error instanceof UnreachablePartError) {
    request.log.warn({ req: request, status }, error.message);
  } else if (status >= 500) {
    request.log.error({ err: error, req: request }, causeOf(error));
  }
  forgetBody(reply, status);
  if (answered.hint !== null && isHeaderText(answered.hint)) reply.header('X-Hint', answered.hint);
  if (speaksSharing(request)) return sendSharingError(reply, answered);
  const isText = kind === 'invalid' && config.validationDetail === 'string';
  return reply.code(status).send({ detail: isText ? message : detail });
}

interface SharingCode {
  readonly errorCode: string;
  /** The protocol's status, if it differs from the interface's. */
  readonly status?: number;
}

const CODES: Readonly<Partial<Record<ErrorKind, SharingCode>>> = {
  malformed: { errorCode: 'MALFORMED_REQUEST' },
  'not authenticated': { errorCode: 'UNAUTHENTICATED' },
  // The key has expired, or its account is deactivated or its contract over.
  gone: { errorCode: 'UNAUTHENTICATED', status: 401 },
  forbidden: { errorCode: 'PERMISSION_DENIED' },
  'not found': { errorCode: 'RESOURCE_DOES_NOT_EXIST' },
  invalid: { errorCode: 'INVALID_PARAMETER_VALUE', status: 400 },
  'method not allowed': { errorCode: 'MALFORMED_REQUEST' },
  'too long': { errorCode: 'MALFORMED_REQUEST' },
  'too many requests': { errorCode: 'RESOURCE_EXHAUSTED' },
  unavailable: { errorCode: 'TEMPORARILY_UNAVAILABLE' },
  'timed out': { errorCode: 'DEADLINE_EXCEEDED' },
};

/** A problem of the body as a whole; of its members, their values are wrong. */
function isOfWholeBody({ detail }: ApiError): boolean {
  return typeof detail !== 'string' && detail.every(({ loc }) => loc.length === 1);
}

export function sendSharingError(reply: FastifyReply, error: ApiError): FastifyReply {
  const { errorCode, status = STATUS_OF[error.kind] } = CODES[error.kind] ?? {
    errorCode: 'INTERNAL_ERROR',
  };
  const isMalformed = error.kind === 'invalid' && isOfWholeBody(error);
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  return reply.code(status).send({
    errorCode: isMalformed ? 'MALFORMED_REQUEST' : errorCode,
    message: error.message,
  });
}
