/** Failures of SQLite as the store's own. */
import './failures.ts';
import { atPath, failureReason, failureText } from '../../base/failure-text.ts';
import { StoreBusyError, StoreFullError, StoreUnavailableError } from '../store-errors.ts';

const BUSY = 5;
const FULL = 13;

/**
 * Primary result codes of failures of storage: the statement was right, and may pass later. Locked by
 * another process, read-only, disk failure, full, cannot be opened.
 */
const STORAGE_FAILURES: Readonly<Record<number, typeof StoreUnavailableError>> = {
  [BUSY]: StoreBusyError,
  8: StoreUnavailableError,
  10: StoreUnavailableError,
  [FULL]: StoreFullError,
  14: StoreUnavailableError,
};

interface SQLiteError extends Error {
  readonly errcode: number;
}

function isOfSQLite(error: unknown): error is SQLiteError {
  return error instanceof Error && 'errcode' in error;
}

/** The error to throw for a failure of the database at `path`, which SQLite does not name. */
export function storeError(path: string, error: unknown): unknown {
  if (!isOfSQLite(error)) return error;
  const told = atPath(path, error);
  const Failure = STORAGE_FAILURES[error.errcode & 0xff];
  if (!Failure) return told;
  return new Failure(failureText(told), failureReason(error) ?? 'the storage failed', error);
}

/** The error to throw if a database cannot be opened; it always names the file. */
export function openingError(path: string, error: unknown): unknown {
  if (!isOfSQLite(error)) return error;
  const isTold = failureReason(error) !== null;
  const message = isTold ? failureText(atPath(path, error)) : `${path}: ${error.message}`;
  return new Error(message, { cause: error });
}
