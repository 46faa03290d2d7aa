/** The HTTP status of each kind of failure. */
import type { ErrorKind } from '../base/errors.ts';

export const STATUS_OF: Readonly<Record<ErrorKind, number>> = {
  malformed: 400,
  'not authenticated': 401,
  forbidden: 403,
  'not found': 404,
  'method not allowed': 405,
  'not acceptable': 406,
  conflict: 409,
  gone: 410,
  'precondition failed': 412,
  'too long': 414,
  'range not satisfiable': 416,
  invalid: 422,
  'too many requests': 429,
  'client gone': 499,
  internal: 500,
  unavailable: 503,
  'timed out': 504,
};
