/**
 * Failures of SQLite, by its primary result codes: as those of the system, and as the store's own.
 */
import {
  addFailureReader,
  atPath,
  failureReason,
  failureText,
  type ReadFailure,
  type SystemCode,
  type SystemFailure,
} from '../../base/failure-text.ts';
import { StoreBusyError, StoreFullError, StoreUnavailableError } from '../store-errors.ts';

const BUSY = 5;
const FULL = 13;

const FAILURES: Readonly<Record<number, SystemCode | SystemFailure>> = {
  5: {
    effect: 'cannot be written',
    reason: 'another process is writing to the store',
    remedy: 'try again when it has finished',
  },
  8: 'EROFS',
  10: {
    effect: 'cannot be used',
    reason: 'the disk cannot be read or written',
    remedy: 'check the disk, and the limit of file sizes (ulimit -f, LimitFSIZE=)',
  },
  11: {
    effect: 'cannot be used',
    reason: 'it is damaged',
    remedy: 'restore it from a backup',
  },
  13: 'ENOSPC',
  14: {
    effect: 'cannot be used',
    reason: 'it cannot be opened',
    remedy:
      'check that it is a file that this user may read and write, ' +
      'and the limit of open files (ulimit -n, LimitNOFILE=)',
  },
  26: {
    effect: 'cannot be used',
    reason: 'it is not a database',
    remedy: 'restore it from a backup',
  },
};

/** An extended code has more in its upper bits. */
const PRIMARY_CODE = 0xff;

function readFailure(error: Error): ReadFailure | null {
  const { errcode } = error as { errcode?: number };
  const failure = errcode === undefined ? undefined : FAILURES[errcode & PRIMARY_CODE];
  return failure === undefined ? null : { failure, subject: 'a file of the store' };
}

addFailureReader(readFailure);
/**
 * Primary result codes of failures of storage: the statement was right, and may pass later. Locked
 * by another process, read-only, disk failure, full, cannot be opened.
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
