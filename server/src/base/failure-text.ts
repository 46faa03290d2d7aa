/**
 * What went wrong, in words for the operator. Failures of the system, of the disk above all, are told
 * by Node.js, SQLite and DuckDB in words for programmers: the table here has the others.
 */
import { UsageError } from './errors.ts';
import { printableLine } from './printable.ts';

interface SystemFailure {
  /** Of Node.js. */
  readonly codes?: readonly string[];
  /** Of SQLite, its primary one. */
  readonly resultCode?: number;
  /** Of the C library, in messages of DuckDB, which have no codes. */
  readonly words?: readonly string[];
  /** What it is about; absent: the file that the failure names. */
  readonly subject?: string;
  /** What comes of it for the file: said after its path. */
  readonly effect: string;
  /** Absent where the effect says all. */
  readonly reason?: string;
  readonly remedy: string;
  /** The path that somebody gave is at fault. */
  readonly isOfPath?: true;
}

const SYSTEM_FAILURES: readonly SystemFailure[] = [
  {
    codes: ['ENOENT'],
    words: ['No such file or directory'],
    effect: 'does not exist',
    remedy: 'check the path',
    isOfPath: true,
  },
  {
    codes: ['ENOTDIR'],
    words: ['Not a directory'],
    effect: 'cannot be used',
    reason: 'a part of its path is a file, not a folder',
    remedy: 'check the path',
    isOfPath: true,
  },
  {
    codes: ['EISDIR'],
    words: ['Is a directory'],
    effect: 'cannot be used',
    reason: 'it is a folder',
    remedy: 'name a file',
    isOfPath: true,
  },
  {
    codes: ['EACCES', 'EPERM'],
    words: ['Permission denied', 'Operation not permitted'],
    effect: 'cannot be used',
    reason: 'this user has no permission',
    remedy: 'change its permissions, or run as another user',
    isOfPath: true,
  },
  {
    codes: ['ELOOP'],
    words: ['Too many levels of symbolic links'],
    effect: 'cannot be used',
    reason: 'it is a link that leads to itself',
    remedy: 'name the file itself',
    isOfPath: true,
  },
  {
    codes: ['ENAMETOOLONG'],
    words: ['File name too long'],
    effect: 'cannot be used',
    reason: 'its name is too long',
    remedy: 'choose a shorter one',
    isOfPath: true,
  },
  {
    codes: ['ENFILE'],
    words: ['Too many open files in system'],
    effect: 'cannot be opened',
    reason: 'the system cannot open more files',
    remedy: 'close other programs, or raise the limit of the system',
  },
  {
    codes: ['EMFILE'],
    words: ['Too many open files'],
    effect: 'cannot be opened',
    reason: 'the process may not open more files',
    remedy: 'raise its limit of open files (ulimit -n, LimitNOFILE=)',
  },
  {
    codes: ['ENOSPC'],
    resultCode: 13,
    words: ['No space left on device'],
    effect: 'cannot be written',
    reason: 'the disk is full',
    remedy: 'free some space on it',
  },
  {
    codes: ['EDQUOT'],
    words: ['Disk quota exceeded'],
    effect: 'cannot be written',
    reason: 'the disk quota is used up',
    remedy: 'free some space, or raise the quota',
  },
  {
    codes: ['EFBIG'],
    words: ['File too large'],
    effect: 'cannot be written',
    reason: 'it would become larger than the process may write',
    remedy: 'raise its limit of file sizes (ulimit -f, LimitFSIZE=)',
  },
  {
    codes: ['EROFS'],
    resultCode: 8,
    words: ['Read-only file system'],
    effect: 'cannot be written',
    reason: 'the disk is read-only',
    remedy: 'make it writable, or use another one',
  },
  {
    codes: ['EIO'],
    words: ['Input/output error'],
    effect: 'cannot be used',
    reason: 'the disk cannot be read or written',
    remedy: 'check the disk',
  },
  {
    resultCode: 10,
    effect: 'cannot be used',
    reason: 'the disk cannot be read or written',
    remedy: 'check the disk, and the limit of file sizes (ulimit -f, LimitFSIZE=)',
  },
  {
    resultCode: 5,
    effect: 'cannot be written',
    reason: 'another process is writing to the store',
    remedy: 'try again when it has finished',
  },
  {
    resultCode: 14,
    effect: 'cannot be used',
    reason: 'it cannot be opened',
    remedy:
      'check that it is a file that this user may read and write, ' +
      'and the limit of open files (ulimit -n, LimitNOFILE=)',
  },
  {
    resultCode: 26,
    effect: 'cannot be used',
    reason: 'it is not a database',
    remedy: 'restore it from a backup',
  },
  {
    resultCode: 11,
    effect: 'cannot be used',
    reason: 'it is damaged',
    remedy: 'restore it from a backup',
  },
  {
    words: ['Out of Memory Error'],
    subject: 'the engine',
    effect: 'cannot go on',
    reason: 'it is out of memory',
    remedy: 'load fewer files at a time',
  },
];

/** Codes of the system that the table lacks. */
const OTHER_CODE = /^E[A-Z\d]+$/;
const DUCKDB_MESSAGE = /^[A-Z]\w*( \w+)* Error: /;
const PATH_IN_MESSAGE = /"([^"]+)"/;

interface ToldFailure extends Error {
  readonly code?: unknown;
  readonly syscall?: string;
  readonly errcode?: number;
  readonly path?: string;
  readonly dest?: string;
}

function systemFailure(error: unknown): SystemFailure | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, errcode, message } = error as ToldFailure;
  const isOfDuckDB = DUCKDB_MESSAGE.test(message);
  const found = SYSTEM_FAILURES.find(
    ({ codes, resultCode, words }) =>
      codes?.includes(`${code}`) ||
      (errcode !== undefined && (errcode & 0xff) === resultCode) ||
      (isOfDuckDB && words?.some((each) => message.includes(each))),
  );
  if (found) return found;
  if (syscall === undefined || !OTHER_CODE.test(`${code}`)) return null;
  const reason = `the operating system refused it (${code})`;
  return { effect: 'cannot be used', reason, remedy: 'try again' };
}

/** Which file a failure is about, as far as it says so. */
function subjectOf(error: ToldFailure, { subject, effect }: SystemFailure): string {
  const { path, dest, errcode, message } = error;
  // Of two files, the second one is written.
  const told = effect === 'cannot be written' ? (dest ?? path) : path;
  return (
    subject ??
    told ??
    PATH_IN_MESSAGE.exec(message)?.[1] ??
    (errcode === undefined ? 'a file' : 'a file of the store')
  );
}

/** One line, without a stack: of failures of the system with the file, the reason and what to do. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return printableLine(String(error));
  // What people are told of their files may hold line ends, which are part of a name.
  if (error instanceof UsageError) return printableLine(error.message);
  const failure = systemFailure(error);
  if (failure === null) return printableLine(error.message.replaceAll(/\s*\n\s*/g, ' ').trim());
  const { effect, reason, remedy } = failure;
  const what = reason === undefined ? effect : `${effect}: ${reason}`;
  return printableLine(`${subjectOf(error, failure)} ${what}; ${remedy}`);
}

/** Why the system failed, as a clause that says nothing of files; null: it was something else. */
export function failureReason(error: unknown): string | null {
  const failure = systemFailure(error);
  return failure && (failure.reason ?? `it ${failure.effect}`);
}

/** The same with what to do about it. */
export function failureAdvice(error: unknown): string | null {
  const failure = systemFailure(error);
  return failure && `${failureReason(error)}; ${failure.remedy}`;
}

/** A failure of the system with the file that it is about, which some calls do not tell. */
export function atPath<E>(path: string, error: E): E {
  if (systemFailure(error) === null || (error as ToldFailure).path !== undefined) return error;
  return Object.assign(error as E & object, { path });
}

/** What to throw where a path that somebody gave cannot be used: a `UsageError` if it is at fault. */
export function pathFailure(path: string, error: unknown): unknown {
  const isOfPath = systemFailure(error)?.isOfPath === true;
  const told = atPath(path, error);
  return isOfPath ? new UsageError(failureText(told)) : told;
}
