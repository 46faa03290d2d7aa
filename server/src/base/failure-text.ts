/**
 * Says what went wrong, in words for the operator. Failures of the system, of the disk above all,
 * are told by Node.js and by libraries in words for programmers: the table here has the others. A
 * folder that hides a library adds how to read its failures.
 */
import { UsageError } from './errors.ts';
import { printableLine } from './printable.ts';

export interface SystemFailure {
  /** The subject of the failure; absent: the file that the failure names. */
  readonly subject?: string;
  /** The consequence for the file, said after its path. */
  readonly effect: string;
  /** Absent where the effect says all. */
  readonly reason?: string;
  readonly remedy: string;
  /** The path that somebody gave is at fault. */
  readonly isOfPath?: true;
}

/** A failure as a library tells it. */
export interface ReadFailure {
  /** The system's code that it comes to, such as `ENOSPC`, or a failure of the library's own. */
  readonly failure: SystemCode | SystemFailure;
  /** The subject, where the error has no path. */
  readonly subject?: string | undefined;
}

type FailureReader = (error: Error) => ReadFailure | null;

const SYSTEM_FAILURES = {
  ENOENT: {
    effect: 'does not exist',
    remedy: 'check the path',
    isOfPath: true,
  },
  ENOTDIR: {
    effect: 'cannot be used',
    reason: 'a part of its path is a file, not a folder',
    remedy: 'check the path',
    isOfPath: true,
  },
  EISDIR: {
    effect: 'cannot be used',
    reason: 'it is a folder',
    remedy: 'name a file',
    isOfPath: true,
  },
  EACCES: {
    effect: 'cannot be used',
    reason: 'this user has no permission',
    remedy: 'change its permissions, or run as another user',
    isOfPath: true,
  },
  ELOOP: {
    effect: 'cannot be used',
    reason: 'it is a link that leads to itself',
    remedy: 'name the file itself',
    isOfPath: true,
  },
  ENAMETOOLONG: {
    effect: 'cannot be used',
    reason: 'its name is too long',
    remedy: 'choose a shorter one',
    isOfPath: true,
  },
  ENFILE: {
    effect: 'cannot be opened',
    reason: 'the system cannot open more files',
    remedy: 'close other programs, or raise the limit of the system',
  },
  EMFILE: {
    effect: 'cannot be opened',
    reason: 'the process may not open more files',
    remedy: 'raise its limit of open files (ulimit -n, LimitNOFILE=)',
  },
  ENOSPC: {
    effect: 'cannot be written',
    reason: 'the disk is full',
    remedy: 'free some space on it',
  },
  EDQUOT: {
    effect: 'cannot be written',
    reason: 'the disk quota is used up',
    remedy: 'free some space, or raise the quota',
  },
  EFBIG: {
    effect: 'cannot be written',
    reason: 'it would become larger than the process may write',
    remedy: 'raise its limit of file sizes (ulimit -f, LimitFSIZE=)',
  },
  EROFS: {
    effect: 'cannot be written',
    reason: 'the disk is read-only',
    remedy: 'make it writable, or use another one',
  },
  EIO: {
    effect: 'cannot be used',
    reason: 'the disk cannot be read or written',
    remedy: 'check the disk',
  },
} satisfies Readonly<Record<string, SystemFailure>>;

export type SystemCode = keyof typeof SYSTEM_FAILURES;

/** Codes that mean the same as another one. */
const SAME_AS: Readonly<Record<string, SystemCode>> = { EPERM: 'EACCES' };

/** Codes of the system that the table lacks. */
const OTHER_CODE = /^E[A-Z\d]+$/;

interface ToldFailure extends Error {
  readonly code?: unknown;
  readonly syscall?: string;
  readonly path?: string;
  readonly dest?: string;
}

const readers = new Set<FailureReader>();

/** Has the failures of a library told like those of the system. */
export function addFailureReader(reader: FailureReader): void {
  readers.add(reader);
}

interface FoundFailure {
  readonly failure: SystemFailure;
  readonly subject?: string | undefined;
}

function ofLibrary(error: Error): FoundFailure | null {
  for (const reader of readers) {
    const read = reader(error);
    if (read === null) continue;
    const { failure, subject } = read;
    return { failure: typeof failure === 'string' ? SYSTEM_FAILURES[failure] : failure, subject };
  }
  return null;
}

function systemFailure(error: unknown): FoundFailure | null {
  if (!(error instanceof Error)) return null;
  const read = ofLibrary(error);
  if (read) return read;
  const { code, syscall } = error as ToldFailure;
  const known = SAME_AS[`${code}`] ?? `${code}`;
  if (Object.hasOwn(SYSTEM_FAILURES, known))
    return { failure: SYSTEM_FAILURES[known as SystemCode] };
  if (syscall === undefined || !OTHER_CODE.test(`${code}`)) return null;
  const reason = `the operating system refused it (${code})`;
  return { failure: { effect: 'cannot be used', reason, remedy: 'try again' } };
}

/** Which file a failure is about, as far as it says so. */
function subjectOf({ path, dest }: ToldFailure, { failure, subject }: FoundFailure): string {
  // If the error names two files, the second one is the one to be written.
  const told = failure.effect === 'cannot be written' ? (dest ?? path) : path;
  return failure.subject ?? told ?? subject ?? 'a file';
}

/** A thread's `DOMException` arrives without its message, which only the stack has. */
function messageOf({ message, stack, name }: Error): string {
  const text = message || (stack?.match(/^\w+: \S.*/m)?.[0] ?? name);
  return printableLine(text.replaceAll(/\s*\n\s*/g, ' ').trim());
}

/** One line without a stack; for failures of the system: file, reason and remedy. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return printableLine(String(error));
  // Texts about files may hold line ends that are part of a name.
  if (error instanceof UsageError) return printableLine(error.message);
  const found = systemFailure(error);
  if (found === null) return messageOf(error);
  const { effect, reason, remedy } = found.failure;
  const what = reason === undefined ? effect : `${effect}: ${reason}`;
  return printableLine(`${subjectOf(error, found)} ${what}; ${remedy}`);
}

/** Why the system failed, as a clause that says nothing of files; null: it was something else. */
export function failureReason(error: unknown): string | null {
  const found = systemFailure(error);
  return found && (found.failure.reason ?? `it ${found.failure.effect}`);
}

/** As `failureReason`, with a remedy. */
export function failureAdvice(error: unknown): string | null {
  const found = systemFailure(error);
  return found && `${failureReason(error)}; ${found.failure.remedy}`;
}

/** A failure of the system with the file that it is about, which some calls do not tell. */
export function atPath<E>(path: string, error: E): E {
  if (systemFailure(error) === null || (error as ToldFailure).path !== undefined) return error;
  return Object.assign(error as E & object, { path });
}

/** The error to throw if a given path cannot be used: a `UsageError` if the path is at fault. */
export function pathFailure(path: string, error: unknown): unknown {
  const isOfPath = systemFailure(error)?.failure.isOfPath === true;
  const told = atPath(path, error);
  return isOfPath ? new UsageError(failureText(told)) : told;
}
