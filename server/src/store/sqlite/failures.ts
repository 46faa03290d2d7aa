/** How SQLite tells failures of the system: by its primary result codes. */
import {
  addFailureReader,
  type ReadFailure,
  type SystemCode,
  type SystemFailure,
} from '../../base/failure-text.ts';

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
