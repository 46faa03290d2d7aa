/** Tells errors of DuckDB that a partition file causes, because it is gone or cut off, from others. */
import type { QueryPlan } from '../../plan/query-plan.ts';
import { UnreadableFileError } from '../engine.ts';

/** DuckDB has no codes for them. Each of these messages names the file. */
const FILE_FAULTS = [
  /^IO Error: No files found that match the pattern /,
  /^IO Error: (Cannot|Could not) (open|read|stat|seek)/,
  / too small to be a Parquet file/,
  /No magic bytes found at end of file /,
  /Could not read enough bytes from file /,
];

/** The file of the plan that the error is about; null where it is about something else. */
export function unreadableFile(plan: QueryPlan, error: unknown): UnreadableFileError | null {
  const { message } = error as Error;
  if (!FILE_FAULTS.some((fault) => fault.test(message))) return null;
  const partition = plan.partitions.find(({ file }) => message.includes(file));
  return partition ? new UnreadableFileError(partition.file, error) : null;
}
