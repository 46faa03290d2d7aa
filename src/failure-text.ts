/** What went wrong, in words for the operator. */
import { storageProblem } from './store/database.ts';

/** Failures of the system whose own texts are for programmers. */
const SYSTEM_PROBLEMS: Readonly<Record<string, string>> = {
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'a file would become larger than this process may write (ulimit -f)',
  EIO: 'the disk cannot be read or written',
  EMFILE: 'this process may not open more files (ulimit -n)',
  ENFILE: 'the system cannot open more files',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
};

function systemProblem({ code, path }: NodeJS.ErrnoException): string | null {
  const problem = SYSTEM_PROBLEMS[code ?? ''];
  if (problem === undefined) return null;
  return path === undefined ? problem : `${path}: ${problem}`;
}

/** One line, without a stack. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = systemProblem(error) ?? storageProblem(error) ?? error.message;
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
