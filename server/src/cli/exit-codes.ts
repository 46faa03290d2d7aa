/** Exit codes of all commands, explained in `docs/command-line.md`. */
import { ApiError, type ErrorKind, UsageError } from '../base/errors.ts';

export const EXIT = {
  done: 0,
  /** The input is not the cause. */
  failed: 1,
  /** The command line, a setting or the data has to change. */
  refused: 2,
  /** Files hold no rows, or there already are the rows or the state that a command asks for. */
  nothingToDo: 3,
  interrupted: 130,
} as const;

/** Kinds of errors that the command line's own words cause. */
const OF_WORDS: readonly ErrorKind[] = ['not found'];

/** The exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.refused;
  return error instanceof ApiError && OF_WORDS.includes(error.kind) ? EXIT.refused : EXIT.failed;
}
