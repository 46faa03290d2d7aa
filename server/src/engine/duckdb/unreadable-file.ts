/** Tells errors of DuckDB that a partition file causes, gone, cut off or damaged, from others. */

import type { UnreadablePartError } from '../engine.ts';
import { comparedFilesOf, type FolderPlan, filesOf } from './folder-plan.ts';
import { unreadable } from './objects/object-failures.ts';
import { BROKEN_OFF } from './query-connections.ts';

/** DuckDB has no codes for them. */
const FILE_FAULTS = [
  /^IO Error: No files found that match the pattern /,
  /^IO Error: (Cannot|Could not) (open|read|stat|seek)/,
  // Of object storage: what the store answers, and that it does not.
  /^HTTP Error: /,
  /^IO Error: .*error for HTTP /,
  / too small to be a Parquet file/,
  /No magic bytes found at end of file /,
  /Could not read enough bytes from file /,
  /Failed to read file /,
  /Footer length error in file /,
  /Invalid string encoding found in Parquet file /,
  /^Invalid Input Error: Invalid unicode /,
  // DuckDB's form of exceptions from elsewhere, such as those of its Parquet reader.
  /^Invalid Error: /,
  new RegExp(`^${BROKEN_OFF}`),
];

/** Names the file, or all that it may be where the engine does not say. */
function nameOf(files: readonly string[], message: string): string {
  const [first, last] = [files.at(0), files.at(-1)];
  const named = files.find((file) => message.includes(file)) ?? (files.length === 1 ? first : null);
  return named ? `the file ${named}` : `one of the ${files.length} files from ${first} to ${last}`;
}

/** An error that the files of a plan cause; null where it is about something else. */
export function unreadableFile(plan: FolderPlan, error: unknown): UnreadablePartError | null {
  const { message } = error as Error;
  if (!FILE_FAULTS.some((fault) => fault.test(message))) return null;
  return unreadable(nameOf([...comparedFilesOf(plan), ...filesOf(plan)], message), error);
}
