/** Whole parts that clients get from the object storage of the lake, in place of this server. */
import { failureReason } from '../base/failure-text.ts';
import type { HeldFile } from '../delivery/delivered-files.ts';
import type { FileFormat } from '../delivery/file-formats.ts';
import { fileName } from '../delivery/manifest.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { FileExchange } from './endpoint.ts';

/** Whether a file has all rows and all columns of one part. */
function isWholePart({ parts, columns, dataset }: QueryPlan, { rowCount }: HeldFile): boolean {
  const [part, ...others] = parts;
  const hasAllColumns = columns.length === dataset.columns.length;
  return others.length === 0 && rowCount === part?.rowCount && hasAllColumns;
}

/**
 * Where the client gets the file, for the next minute; null: from this server. Ranges come from here: tools that
 * read by them hold the tags of their answers against each other, and the store knows no tag of ours.
 */
export async function directUrlOf(
  { request: { headers, log }, services: { config, clock, engine } }: FileExchange,
  fileFormat: FileFormat,
  plan: QueryPlan,
  file: HeldFile,
): Promise<string | null> {
  if (config.fileSender !== 'object-storage' || headers.range !== undefined) return null;
  if (!isWholePart(plan, file)) return null;
  const { bytes, sha256 } = file;
  const { contentType } = fileFormat;
  const direct = { bytes, sha256, name: fileName(plan, fileFormat), contentType };
  try {
    return (await engine.directUrl?.(direct, clock)) ?? null;
  } catch (error) {
    const reason = failureReason(error) ?? 'it did not take the file';
    log.warn(`A file is not sent by the object storage: ${reason}`);
    return null;
  }
}
