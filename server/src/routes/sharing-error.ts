/** Errors in the form that clients of Delta Sharing know. */
import type { FastifyReply } from 'fastify';
import type { ApiError, ErrorKind } from '../base/errors.ts';
import { STATUS_OF } from './error-status.ts';

interface SharingCode {
  readonly errorCode: string;
  /** Where the protocol has another one than the interface. */
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
