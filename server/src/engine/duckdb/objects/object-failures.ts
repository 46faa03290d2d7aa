/** Failures of an object store, in words for the operator. */
import { UnreachablePartError, UnreadablePartError } from '../../engine.ts';
import { BUSY, failuresByCode, StoreError, type StoreFailure } from '../../store-failures.ts';

const UNREACHABLE: StoreFailure = {
  reason: 'it cannot be reached',
  remedy: 'check the network and TICKLAKE_S3_ENDPOINT',
};
export const CLOCK_OFF: StoreFailure = {
  reason: 'the clock of this machine is off',
  remedy: 'have it set by a time server',
};
const REFUSED: StoreFailure = {
  reason: 'it does not accept the credentials',
  remedy: 'check the access key and its secret',
};
const FORBIDDEN: StoreFailure = {
  reason: 'the credentials do not allow it',
  remedy: 'let them list, read, write and delete below the prefix',
};
const EXPIRED: StoreFailure = {
  reason: 'the credentials have expired',
  remedy: 'renew them, and start again',
};
const NO_CREDENTIALS: StoreFailure = {
  reason: 'there are no credentials',
  remedy: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile or a role',
};
const ELSEWHERE: StoreFailure = {
  reason: 'the bucket lies in another region',
  remedy: 'set TICKLAKE_S3_REGION',
};
const NO_BUCKET: StoreFailure = {
  reason: 'there is no such bucket',
  remedy: 'create it, or correct TICKLAKE_LAKE',
};
const NO_REGION: StoreFailure = {
  reason: 'no region is set',
  remedy: 'set TICKLAKE_S3_REGION, or TICKLAKE_S3_ENDPOINT for another store than that of AWS',
};

/** By the code of the store, of its client or of the system. */
const FAILURES = failuresByCode([
  [NO_BUCKET, 'NoSuchBucket'],
  // The client's own message, which has no code.
  [NO_REGION, 'Region is missing'],
  // The last one is Versity's word for an access key that nobody has.
  [REFUSED, 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'XAdminUserNotFound'],
  [FORBIDDEN, 'AccessDenied'],
  [EXPIRED, 'ExpiredToken'],
  [NO_CREDENTIALS, 'CredentialsProviderError'],
  [CLOCK_OFF, 'RequestTimeTooSkewed'],
  [ELSEWHERE, 'PermanentRedirect', 'AuthorizationHeaderMalformed'],
  [UNREACHABLE, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH'],
  [UNREACHABLE, 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'TimeoutError'],
  [BUSY, 'SlowDown', 'InternalError', 'ServiceUnavailable'],
]);

/** Answers to HEAD have no code in them. */
const OF_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  403: 'AccessDenied',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};
const MISSING = new Set(['NoSuchKey', 'NotFound']);

/** An object that cannot be had. `url` is that of the object or of the lake. */
export class ObjectStorageError extends StoreError {
  override readonly name = 'ObjectStorageError';

  constructor(url: string, failure: StoreFailure, cause?: unknown) {
    super(url, `cannot be used: ${failure.reason}`, failure, cause);
  }
}

/** DuckDB's words for a store that does not answer, refuses connections, or is overloaded. */
const ENGINE_CANNOT_REACH = /error for HTTP (?!.*404)|HTTP Error: .*\(HTTP 5\d\d/;

/** True if an error of the client or the engine means that the store did not answer. */
export function isAway(error: unknown): boolean {
  if (error instanceof ObjectStorageError) return [UNREACHABLE, BUSY].includes(error.failure);
  return ENGINE_CANNOT_REACH.test((error as Error).message);
}

/** The error of a file, by its name, that cannot be read because of another one. */
export function unreadable(name: string, error: unknown): UnreadablePartError {
  if (isAway(error)) return new UnreachablePartError(`${name} cannot be reached`, error);
  return new UnreadablePartError(`${name} cannot be read`, error);
}

interface ClientError extends Error {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The error of a file that is not there, like the system's. */
function missing(url: string, cause: unknown): Error {
  return Object.assign(new Error(`${url} does not exist`, { cause }), {
    code: 'ENOENT',
    path: url,
  });
}

/** An error of the client as one for the operator; what it does not know stays as it is. */
export function objectFailure(url: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError') return error;
  const { name, code, $metadata } = error as ClientError;
  if (MISSING.has(name)) return missing(url, error);
  const status = OF_STATUS[$metadata?.httpStatusCode ?? 0];
  const codes = [name, `${code}`, `${status}`, error.message];
  const failure = FAILURES.get(codes.find((each) => FAILURES.has(each)) ?? '');
  return failure ? new ObjectStorageError(url, failure, error) : error;
}
