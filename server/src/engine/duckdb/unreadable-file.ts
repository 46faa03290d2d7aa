/** Tells errors of DuckDB that a partition file causes, gone, cut off or damaged, from others. */

import { UnreadableFileError } from '../engine.ts';
import type { QueryPlan } from '../query-plan.ts';

/** DuckDB has no codes for them. */
const FILE_FAULTS = [
  /^IO Error: No files found that match the pattern /,
  /^IO Error: (Cannot|Could not) (open|read|stat|seek)/,
  / too small to be a Parquet file/,
  /No magic bytes found at end of file /,
  /Could not read enough bytes from file /,
  /Failed to read file /,
  /Footer length error in file /,
  /Invalid string encoding found in Parquet file /,
  /^Invalid Input Error: Invalid unicode /,
  // What it makes of exceptions that are not its own: those of the reader of Parquet.
  /^Invalid Error: /,
];

/** An error that the files of a plan cause; null where it is about something else. */
export function unreadableFile(
  { partitions }: QueryPlan,
  error: unknown,
): UnreadableFileError | null {
  const { message } = error as Error;
  if (!FILE_FAULTS.some((fault) => fault.test(message))) return null;
  const files = partitions.map(({ file }) => file);
  const named = files.find((file) => message.includes(file));
  return new UnreadableFileError(named === undefined ? files : [named], error);
}
