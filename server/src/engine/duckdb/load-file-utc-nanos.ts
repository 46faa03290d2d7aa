/**
 * Parquet marks a time column as UTC or as local, and in which unit it counts. The engine reads
 * nanoseconds that are marked as UTC as microseconds, and so loses digits; unmarked ones it reads
 * whole. Hence such a file is read from a copy in which that mark is taken off.
 */
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { FILE } from './parquet-fields.ts';
import { editFooter, listWith, structsOf, utcMark, withUtcMark } from './parquet-footer.ts';
import { type ThriftStruct, withFields } from './thrift-compact.ts';

/** The footer with no column of nanoseconds marked as UTC. */
function withUnmarkedNanos(footer: ThriftStruct): ThriftStruct {
  const schema = structsOf(footer, FILE.schema).map((element) =>
    utcMark(element) ? withUtcMark(element, false) : element,
  );
  return withFields(footer, { [FILE.schema]: listWith(footer, FILE.schema, schema) });
}

/** Copies a Parquet file to `target`, the copy's UTC nanoseconds unmarked. */
export async function copyWithUnmarkedUtcNanos(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  editFooter(target, withUnmarkedNanos);
}
